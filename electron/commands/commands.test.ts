import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createApp } from '../app.js'
import { runCommandLine } from './run-command-line.js'

const fixtures = resolve('electron/sessions/fixtures/qwen-code')
const cases = ['small-edits', 'sed-delete-user-edit', 'shop'] as const
type Case = (typeof cases)[number]

const fileTruth = z.object({ sha256: z.string() })
const truthShape = z.object({
  prompts: z.array(z.object({ text: z.string(), dead: z.boolean().optional(), files: z.record(z.string(), fileTruth) })),
  final: z.record(z.string(), fileTruth),
})

interface World {
  readonly workspace: string
  readonly log: string
  readonly run: (...words: readonly string[]) => Promise<{ readonly code: number; readonly out: Buffer; readonly notes: string }>
  readonly json: (...words: readonly string[]) => Promise<unknown>
}

/** The command line on a recorded session, with its files as the agent left them and a data folder of its own. */
function newWorld(name: Case): World {
  const root = mkdtempSync(join(tmpdir(), 'overturn-cli-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const workspace = join(root, 'files')
  cpSync(join(fixtures, name, 'trees', 'final'), workspace, { recursive: true })
  const log = readdirSync(join(fixtures, name, 'home'), { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl'))
  if (log === undefined) throw new Error(`${name} has no log`)
  const file = join(fixtures, name, 'home', log)
  const environment = { OVERTURN_DATA_DIR: join(root, 'data'), QWEN_HOME: join(root, 'none') }
  const run: World['run'] = async (...words) => {
    const out: Buffer[] = []
    let notes = ''
    const terminal = { out: (text: string | Uint8Array) => void out.push(Buffer.from(text)), note: (text: string) => void (notes += text) }
    const code = await runCommandLine(words, terminal, async () => {
      const app = await createApp({
        environment,
        programFolder: resolve('build'),
        host: { pickFolder: null, pickFile: null, reveal: null, notify: null },
        workspace,
        isWorkspaceForced: true,
        locations: [],
        isWatching: false,
        desk: 'asks',
        commandLine: [],
      })
      const open = async (session: string) => {
        const opened = await app.workbench.open((await app.library.find(session)).key)
        await opened.recorded.whenLoaded()
        return opened
      }
      const sessions = async () => {
        await app.library.whenCounted()
        return app.library.list().sessions
      }
      return { world: { sessions, open, search: app.search, ...terminal, progress: () => undefined, signal: new AbortController().signal }, close: app.dispose }
    })
    return { code, out: Buffer.concat(out), notes }
  }
  return { workspace, log: file, run, json: async (...words) => JSON.parse((await run(...words, '--json')).out.toString('utf8')) as unknown }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Hash and mode, or link target, of every file of a tree. */
function treeOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  return Object.fromEntries(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name)
      const stats = lstatSync(file)
      return [relative(folder, file), stats.isSymbolicLink() ? readlinkSync(file) : `${sha256(readFileSync(file))} ${(stats.mode & 0o777).toString(8)}`]
    }),
  )
}

function truthOf(name: Case): { readonly live: readonly z.output<typeof truthShape>['prompts'][number][]; readonly moments: ReadonlyMap<string, Record<string, string>> } {
  const truth = truthShape.parse(JSON.parse(readFileSync(join(fixtures, name, 'truth.json'), 'utf8')))
  const live = truth.prompts.filter(({ dead }) => dead !== true)
  const hashes = (files: Record<string, { sha256: string }>) => Object.fromEntries(Object.entries(files).map(([path, file]) => [path, file.sha256]))
  return { live, moments: new Map([...live.map((turn, index) => [String(index + 1), hashes(turn.files)] as const), ['end', hashes(truth.final)]]) }
}

const rows = z.array(z.object({ path: z.string(), state: z.enum(['present', 'absent', 'unknown']), sha256: z.string().nullable(), provenance: z.string() }))
const receipt = z.object({ receipt: z.array(z.object({ path: z.string(), action: z.string(), result: z.string(), reason: z.string() })), undoId: z.string() })

describe.each(cases)('the commands on %s', (name) => {
  it('show every live turn with its prompt, numbered from 1', async () => {
    const { log, json } = newWorld(name)
    const shown = z.object({ turns: z.array(z.object({ index: z.number().nullable(), prompt: z.string(), live: z.boolean() })) }).parse(await json('show', log))
    expect(shown.turns.filter(({ live }) => live)).toEqual(truthOf(name).live.map(({ text }, index) => ({ index: index + 1, prompt: text, live: true })))
  })

  it('say of no file anything false at any turn, and print its exact bytes', async () => {
    const { log, json, run } = newWorld(name)
    for (const [at, truth] of truthOf(name).moments) {
      const files = rows.parse(await json('files', log, '--at', at))
      const known = files.filter(({ state }) => state !== 'unknown')
      expect(known.map(({ path, sha256: hash }) => [at, path, hash])).toEqual(known.map(({ path }) => [at, path, truth[path] ?? null]))
      for (const { path } of known.filter(({ state }) => state === 'present')) {
        expect([at, path, sha256((await run('cat', log, path, '--at', at)).out)]).toEqual([at, path, truth[path]])
      }
    }
  })

  it('rewind to each turn: every known file equals the truth or is named as left, and undo brings all back', async () => {
    const { log, json, workspace } = newWorld(name)
    const final = treeOf(workspace)
    for (const [at, truth] of truthOf(name).moments) {
      if (at === 'end') continue
      const unknown = new Set(rows.parse(await json('files', log, '--at', at)).flatMap(({ path, state }) => (state === 'unknown' ? [path] : [])))
      const { receipt: done } = receipt.parse(await json('rewind', log, '--to', at))
      const now = treeOf(workspace)
      const settled = done.filter(({ result }) => result !== 'left' && result !== 'failed')
      const known = settled.filter(({ path }) => !unknown.has(path))
      expect(known.map(({ path }) => [at, path, now[path]?.split(' ')[0] ?? null])).toEqual(known.map(({ path }) => [at, path, truth[path] ?? null]))
      const touched = new Set(settled.map(({ path }) => path))
      expect(Object.entries(now).filter(([path]) => !touched.has(path))).toEqual(Object.entries(final).filter(([path]) => !touched.has(path)))
      if (done.some(({ result }) => result !== 'unchanged' && result !== 'left')) await json('undo', log)
      expect(treeOf(workspace)).toEqual(final)
    }
  })

  it('give a patch from the start of each turn to the end that git applies', async () => {
    const { log, run, json, workspace } = newWorld(name)
    for (const at of truthOf(name).moments.keys()) {
      const start = rows.parse(await json('files', log, '--at', at))
      const end = new Map(rows.parse(await json('files', log, '--at', 'end')).map((row) => [row.path, row]))
      const both = start.filter(({ path, state }) => state !== 'unknown' && end.get(path)?.state !== 'unknown')
      const root = mkdtempSync(join(tmpdir(), 'overturn-patch-'))
      onTestFinished(() => rmSync(root, { recursive: true, force: true }))
      execFileSync('git', ['init', '-q'], { cwd: root })
      for (const { path, state } of both) {
        if (state !== 'present') continue
        cpSync(join(workspace, '..', 'files'), root, { recursive: true, filter: (source) => lstatSync(source).isDirectory() })
        writeFileSync(join(root, path), (await run('cat', log, path, '--at', at)).out)
      }
      const { out } = await run('diff', log, '--from', at, '--to', 'end', ...both.map(({ path }) => path))
      if (out.length > 0) execFileSync('git', ['apply', '-'], { cwd: root, input: out })
      const applied = both.map(({ path }) => [at, path, lstatSync(join(root, path), { throwIfNoEntry: false }) ? sha256(readFileSync(join(root, path))) : null])
      expect(applied).toEqual(both.map(({ path }) => [at, path, end.get(path)?.sha256 ?? null]))
    }
  })
})

describe('the commands', () => {
  it('take one change back and keep the later ones', async () => {
    const { log, run, workspace } = newWorld('shop')
    const before = readFileSync(join(workspace, 'src/cart/total.ts'), 'utf8')
    const done = await run('take-back', log, '--turn', '8', '--path', 'src/cart/total.ts', '--hunk', '2')
    expect([done.code, readFileSync(join(workspace, 'src/cart/total.ts'), 'utf8')]).toEqual([0, before.replace('format(sum(lines)', 'format(total(lines)')])
  })

  it('keep what was typed since, and leave what was typed into the same lines', async () => {
    const { log, run, workspace } = newWorld('shop')
    const file = join(workspace, 'src/cart/total.ts')
    const typed = readFileSync(file, 'utf8').replace('const TAX_RATE = 0.19', 'const TAX_RATE = 0.07')
    writeFileSync(file, typed)
    const merged = await run('rewind', log, '--to', '8', '--path', 'src/cart/total.ts')
    const afterMerge = readFileSync(file, 'utf8')
    await run('undo', log)
    const clashing = typed.replace('export function sum', 'export function all')
    writeFileSync(file, clashing)
    const left = await run('rewind', log, '--to', '8', '--path', 'src/cart/total.ts')
    const afterLeft = readFileSync(file, 'utf8')
    const old = await run('rewind', log, '--to', '8', '--path', 'src/cart/total.ts', '--on-conflict', 'old')
    expect([merged.code, afterMerge.includes('0.07') && afterMerge.includes('function total'), left.code, afterLeft === clashing, old.code, sha256(readFileSync(file))]).toEqual([
      0,
      true,
      1,
      true,
      0,
      truthOf('shop').moments.get('8')?.['src/cart/total.ts'],
    ])
  })

  it('say of a file that is not known at the target what it goes back to instead', async () => {
    const { log, json } = newWorld('shop')
    const reason = async (): Promise<string | undefined> => {
      const { plan } = z.object({ plan: z.array(z.object({ path: z.string(), reason: z.string() })) }).parse(await json('rewind', log, '--to', '1', '--dry-run'))
      return plan.find(({ path }) => path === 'README.md')?.reason
    }
    const before = await reason()
    await json('rewind', log, '--to', '1')
    expect([before, await reason()]).toEqual(['Back to before turn 6 first touched it', 'Nothing to do, it is as before turn 6 first touched it'])
  })

  it('still tell your lines apart after a rewind, a take-back or a choice of the old text was undone', async () => {
    const first: readonly (readonly string[])[] = [
      ['rewind', '--to', '3'],
      ['rewind', '--to', '3', '--on-conflict', 'old'],
      ['take-back', '--turn', '3', '--path', 'src/cart/total.ts', '--hunk', '1'],
    ]
    for (const [command = '', ...options] of first) {
      const { log, run, workspace } = newWorld('shop')
      const file = join(workspace, 'src/cart/total.ts')
      const typed = `${readFileSync(file, 'utf8')}// mine\n`
      writeFileSync(file, typed)
      await run(command, log, ...options)
      await run('undo', log)
      const undone = readFileSync(file, 'utf8')
      await run('rewind', log, '--to', '3')
      expect([command, undone === typed, readFileSync(file, 'utf8').endsWith('// mine\n')]).toEqual([command, true, true])
      await run('rewind', log, '--to', '8')
      expect([command, readFileSync(file, 'utf8').endsWith('// mine\n')]).toEqual([command, true])
    }
  })

  it('keep the operations of two folders of one session apart', async () => {
    const { log, run, workspace } = newWorld('shop')
    const other = newWorld('shop')
    const before = treeOf(workspace)
    await run('rewind', log, '--to', '3')
    const undone = await other.run('undo', other.log)
    const data = join(workspace, '..', 'data', 'operations')
    const elsewhere = join(other.workspace, '..', 'data', 'operations')
    cpSync(data, elsewhere, { recursive: true })
    const again = await other.run('undo', other.log)
    expect([undone.code, again.code, again.notes.split('\n')[0], treeOf(other.workspace)]).toEqual([1, 1, 'There is nothing to undo.', before])
  })

  it('write nothing with --dry-run or --on-conflict abort', async () => {
    const { log, run, workspace } = newWorld('shop')
    writeFileSync(join(workspace, 'src/cart/total.ts'), 'mine\n')
    const before = treeOf(workspace)
    const codes = [await run('rewind', log, '--to', '8', '--dry-run'), await run('rewind', log, '--to', '8', '--on-conflict', 'abort')].map(({ code }) => code)
    expect([codes, treeOf(workspace)]).toEqual([[0, 1], before])
  })

  it('refuse with a code and a sentence that says what to do', async () => {
    const { log, run } = newWorld('shop')
    const answers = [await run('show', '/nowhere.jsonl'), await run('files', log, '--at', '99'), await run('files', log), await run('cat', log, 'src/none.ts', '--at', '1'), await run('undo', log), await run('fly'), await run('undo', '')]
    expect(answers.map(({ code, out }) => [code, out.length])).toEqual([[1, 0], [2, 0], [2, 0], [1, 0], [1, 0], [2, 0], [2, 0]])
    expect(answers.map(({ notes }) => notes.split('\n')[0])).toEqual([
      'No session has this id, and no log is at this path. "overturn sessions" lists them.',
      'There is no turn "99". Turns are numbered 1 to 8.',
      '--at is missing: a turn (its start), a change in it (3.2: after the second of turn 3) or "end".',
      expect.stringContaining('src/none.ts'),
      'There is nothing to undo.',
      'There is no command "fly".',
      'Name a session: its id or its log file. "overturn sessions" lists them.',
    ])
  })
})

describe('a turn that is not there', () => {
  it('is an argument that means nothing, in each command that takes one', async () => {
    const { log, run, workspace } = newWorld('shop')
    const before = treeOf(workspace)
    const lines = [
      ['files', log, '--at', '99'],
      ['files', log, '--at', 'abc'],
      ['cat', log, 'src/cart/total.ts', '--at', '99.1'],
      ['cat', log, 'src/cart/total.ts', '--at', '3.99'],
      ['diff', log, '--from', '0'],
      ['diff', log, '--to', '99'],
      ['rewind', log, '--to', '99', '--dry-run'],
      ['rewind', log, '--to', '99'],
      ['take-back', log, '--turn', '99', '--path', 'src/cart/total.ts', '--hunk', '1'],
    ]
    const answers = await Promise.all(lines.map((words) => run(...words, '--json')))
    const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) })
    const told = answers.map(({ code, out, notes }) => {
      const { error } = refusal.parse(JSON.parse(out.toString('utf8')))
      return [code, error.code, notes === `${error.message}\n`]
    })
    expect([told, treeOf(workspace)]).toEqual([lines.map(() => [2, 'TURN_NOT_FOUND', true]), before])
  })
})

describe('tokens', () => {
  it('are told of the session and of each turn, in words and as data', async () => {
    const { log, run, json } = newWorld('shop')
    const usage = z.object({ input: z.number(), output: z.number(), total: z.number(), cached: z.number(), cost: z.null() })
    const shown = z.object({ session: z.object({ usage, end: z.null() }), turns: z.array(z.object({ usage })) }).parse(await json('show', log))
    const text = (await run('show', log)).out.toString('utf8')
    expect([shown.session.usage.total, shown.turns.map((turn) => turn.usage.total), text.split('\n')[2], [...text.matchAll(/ {2}(\d+) tokens$/gm)].map(([, count]) => Number(count))]).toEqual([
      5640,
      [720, 600, 720, 480, 600, 840, 120, 840, 720],
      '5,640 tokens · 4,700 given to the model · 940 written by it',
      [720, 600, 720, 480, 600, 840, 120, 840, 720],
    ])
  })
})
