import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import { openBackupStore } from '../history/backup-store.js'
import { createContents } from '../review/contents.js'
import { createDiskView } from '../review/disk-view.js'
import { turnFiles } from '../review/turn-files.js'
import { ClaudeLog, wholePatch } from '../testing/claude-log.js'
import { setCommandTimes } from '../testing/command-times.js'
import { judgeStates, readTruth, writeTruthTree, type Judged } from '../testing/judge-states.js'
import { openClaude, writeClaudeStore } from '../testing/open-claude.js'
import { sedInThisThread } from '../testing/open-simulated.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'

const fixtures = fileURLToPath(new URL('./fixtures/claude-code', import.meta.url))

/** What of the workspace is there: nothing, its files, or its files with the times at which commands wrote them. */
type Workspace = 'none' | 'files' | 'times'

async function judged(name: string, workspace: Workspace, change: (folder: string) => void = () => undefined): Promise<Judged> {
  const fixture = join(fixtures, name)
  const { prompts } = readTruth(fixture)
  const last = prompts.at(-1)
  const file = join(fixture, 'home', last?.sessionFile ?? '')
  const folder = workspace === 'none' ? null : writeTruthTree(fixture, last?.end ?? {})
  if (folder !== null && workspace === 'times') setCommandTimes(folder, file, Object.keys(last?.end ?? {}))
  if (folder !== null) change(folder)
  const session = await openClaude(file, { workspace: folder })
  onTestFinished(() => session.close())
  return judgeStates(session, prompts, folder, await openBackupStore(mkdtempSync(join(tmpdir(), 'overturn-store-'))))
}

describe('what is known of recorded sessions of Claude Code', () => {
  it.each<readonly [string, Workspace, Pick<Judged, 'known' | 'knownEnds' | 'changedEnds'>]>([
    ['tui-basic', 'none', { known: 26, knownEnds: 4, changedEnds: 5 }],
    ['tui-basic', 'files', { known: 26, knownEnds: 4, changedEnds: 5 }],
    ['tui-basic', 'times', { known: 27, knownEnds: 5, changedEnds: 5 }],
    ['handmade-out-of-order', 'times', { known: 27, knownEnds: 5, changedEnds: 5 }],
    ['handmade-broken-lines', 'times', { known: 25, knownEnds: 5, changedEnds: 5 }],
    // Print mode keeps no copies: texts without line ends prove nothing alone, and with the disk all.
    ['print-resume-fork', 'none', { known: 0, knownEnds: 0, changedEnds: 4 }],
    ['print-resume-fork', 'files', { known: 13, knownEnds: 3, changedEnds: 4 }],
    ['print-resume-fork', 'times', { known: 16, knownEnds: 4, changedEnds: 4 }],
  ])('is exactly what was there: %s, workspace %s', async (name, workspace, expected) => {
    const { known, knownEnds, changedEnds, wrong } = await judged(name, workspace)
    expect([{ known, knownEnds, changedEnds }, wrong]).toEqual([expected, []])
  })

  it.each(['tui-basic', 'print-resume-fork'])('is not what somebody typed after a command: %s', async (name) => {
    const { wrong, unknown } = await judged(name, 'times', (folder) => appendFileSync(join(folder, 'src/price.js'), '// typed\n'))
    expect([wrong, Object.keys(unknown).filter((where) => /^end[23] src\/price/.test(where)).length > 0]).toEqual([[], true])
  })

  it('is all but what a command did', async () => {
    const { unknown } = await judged('tui-basic', 'files')
    const ends = readTruth(join(fixtures, 'tui-basic')).prompts.flatMap(({ changed }, at) => changed.map(({ path }) => `end${at + 1} ${path}`))
    expect(ends.filter((end) => unknown[end] !== undefined)).toEqual(['end3 src/price.js'])
  })
})

/** What the session tells of a file at the start and the end of each turn, without a disk: its text, `-` for absent, else the reason. */
async function told(log: ClaudeLog, path: string, backups: Readonly<Record<string, string | Uint8Array>>): Promise<readonly string[]> {
  const session = await openClaude(writeClaudeStore(log, backups))
  onTestFinished(() => session.close())
  await session.whenLoaded()
  const contents = createContents({ session, disk: () => null })
  const states: string[] = []
  for (const { promptId } of session.turns) {
    for (const kind of ['start', 'end'] as const) {
      const { content } = await contents.contentAt({ kind, promptId }, workspacePath(path))
      const { state } = content
      states.push(state.kind === 'file' ? Buffer.from(await content.read()).toString('latin1') : state.kind === 'absent' ? '-' : state.kind === 'unknown' ? state.reason : state.kind)
    }
  }
  return states
}

describe('a file of which Claude Code keeps copies', () => {
  const one = 'aaaaaaaaaaaaaaaa@v1'
  const two = 'aaaaaaaaaaaaaaaa@v2'

  it('is told after an edit of more than 10 KB by its copy, where the patch fits', async () => {
    const before = `first\n${'x'.repeat(99)}\n`.repeat(120) + 'last\n'
    const log = new ClaudeLog()
    const first = log.prompt('Edit')
    log.snapshot(first, { 'a.ts': one }, true)
    log.edit('a.ts', before, 'last', 'end', { originalFile: null, structuredPatch: wholePatch('last\n', 'end\n') })
    expect(await told(log, 'a.ts', { [one]: before })).toEqual([before, before.replace('last', 'end')])
  })

  it.each<readonly [string, string | Uint8Array]>([
    ['CRLF', 'one\r\ntwo\r\n'],
    ['a BOM', '\ufeffone\ntwo\n'],
    ['Latin-1', Buffer.from('one\ntw\xf6\n', 'latin1')],
  ])('with %s is told after an edit by its next copy alone', async (_, bytes) => {
    const text = 'one\ntwo\n'
    const edited = (isLast: boolean): ClaudeLog => {
      const log = new ClaudeLog()
      const first = log.prompt('Edit')
      log.snapshot(first, { 'a.ts': one }, true)
      log.edit('a.ts', text, 'one', 'three')
      if (!isLast) log.prompt('On', { 'a.ts': two })
      return log
    }
    const start = Buffer.from(bytes).toString('latin1')
    const after = 'three\r\ntwo\r\n'
    const [last, next] = [await told(edited(true), 'a.ts', { [one]: bytes }), await told(edited(false), 'a.ts', { [one]: bytes, [two]: after })]
    const isSeen = !start.includes('\xf6')
    expect([last[1], isSeen ? next[1] : 'seen elsewhere', last[0]]).toEqual(['records-disagree', isSeen ? after : 'seen elsewhere', start])
  })

  it('is at a new prompt what a rewind has brought back', async () => {
    const log = new ClaudeLog()
    const first = log.prompt('First')
    log.snapshot(first, { 'a.ts': one }, true)
    log.edit('a.ts', 'one\n', 'one', 'two')
    const kept = log.reply('done')
    log.prompt('Dropped', { 'a.ts': two })
    log.edit('a.ts', 'two\n', 'two', 'bad')
    log.goTo(kept)
    log.prompt('Instead', { 'a.ts': 'aaaaaaaaaaaaaaaa@v3' })
    expect(await told(log, 'a.ts', { [one]: 'one\n', [two]: 'two\n', 'aaaaaaaaaaaaaaaa@v3': 'two\n' })).toEqual(['one\n', 'two\n', 'two\n', 'two\n'])
  })

  it('that a command deleted is absent from the next prompt on', async () => {
    const log = new ClaudeLog()
    log.prompt('First', { 'a.ts': one })
    log.bash('rm a.ts')
    log.prompt('Next', { 'a.ts': null })
    expect(await told(log, 'a.ts', { [one]: 'one\n' })).toEqual(['one\n', '-', '-', '-'])
  })
})

describe('a turn of Claude Code', () => {
  it('lists what commands and tools of its own changed, and takes no harmless tool for a change', async () => {
    const log = new ClaudeLog()
    log.prompt('Do it')
    log.edit('a.ts', 'one\n', 'one', 'two')
    log.bash("cat > b.ts <<'EOF'\nnew\nEOF")
    for (const name of ['TodoWrite', 'AskUserQuestion', 'TaskCreate', 'ToolSearch', 'KillShell']) {
      log.call(name, name, {})
      log.result(name, 'ok', {})
    }
    const session = await openClaude(writeClaudeStore(log))
    onTestFinished(() => session.close())
    await session.whenLoaded()
    const contents = createContents({ session, disk: () => null })
    const [turn] = session.turns
    const files = turn ? await turnFiles(contents, turn.promptId) : []
    const steps = turn ? (await contents.now().steps.digest(turn)).steps : []
    expect([files.map(({ path, cause }) => [path, cause]), steps.map(({ kind }) => kind)]).toEqual([
      [
        ['a.ts', 'edit'],
        ['b.ts', 'command'],
      ],
      ['edit', 'command'],
    ])
  })
})

describe('the last turn of Claude Code in a file whose line ends or encoding its records lose', () => {
  const crlf = (text: string): Buffer => Buffer.from(text.replaceAll('\n', '\r\n'))
  const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
  const before = 'one\ntwo\nthree\n'

  /** Two edits of `a.txt` in the last turn, and `disk` on the disk: what its end is, and what a rewind tells typing apart by. */
  async function endOf(bytesOf: (text: string) => Buffer, disk: Buffer): Promise<readonly [string, string, Buffer]> {
    const log = new ClaudeLog()
    const prompt = log.prompt('change it')
    log.snapshot(prompt, { 'a.txt': 'a@v1' }, true)
    log.edit('a.txt', before, 'two', 'TWO')
    log.edit('a.txt', before.replace('two', 'TWO'), 'three', 'three\nfour')
    const workspace = mkdtempSync(join(tmpdir(), 'overturn-work-'))
    onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
    writeFileSync(join(workspace, 'a.txt'), disk)
    const session = await openClaude(writeClaudeStore(log, { 'a@v1': bytesOf(before) }), { workspace })
    onTestFinished(() => session.close())
    const view = createDiskView(await openWorkspace(workspace), createDiskStates())
    const contents = createContents({ session, disk: () => view, sed: sedInThisThread })
    const [turn] = session.turns
    const { held, by, lastKnown } = await contents.endOf(turn?.promptId ?? promptId(''), workspacePath('a.txt'))
    return [by, held.content.state.kind, Buffer.from(await lastKnown.content.read())]
  }

  it.each([
    ['CRLF', crlf],
    ['UTF-16', utf16],
    ['a BOM', (text: string): Buffer => Buffer.from(`\ufeff${text}`)],
  ] as const)('is what the disk holds where the edits make just that of it: %s', async (_, bytesOf) => {
    const after = bytesOf('one\nTWO\nthree\nfour\n')
    expect(await endOf(bytesOf, after)).toEqual(['disk', 'file', after])
    // What was typed is told apart from what the edits most likely left, so that no line of the agent counts as typed.
    expect(await endOf(bytesOf, bytesOf('one\nTWO\nthree\nfour\nmine\n'))).toEqual(['nothing', 'unknown', after])
  })
})
