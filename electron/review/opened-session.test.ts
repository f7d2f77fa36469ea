import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FileChange, Scope } from '../../shared/file-state.js'
import { promptId, sessionKey, workspacePath, type PromptId } from '../../shared/ids.js'
import type { SessionSummary } from '../../shared/session.js'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { openSessionHistory, type SessionHistory } from '../history/session-history.js'
import { openAgent } from '../testing/open-simulated.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'
import { createDiskView } from './disk-view.js'
import { createOpenedSession, type OpenedSession } from './opened-session.js'
import { openReviewMarks } from './review-marks.js'
import { createTextComparer } from './text-comparer.js'

const key = sessionKey('0123456789abcdef')
const summary: SessionSummary = {
  key, id: 'id', agent: 'qwen-code', title: 'A session', recordedFolder: null, workspace: null, branch: null, model: null, file: '', sizeBytes: 0,
  startedAt: null, lastActiveAt: null, turns: null, stat: null, files: null, usage: null, end: null, problems: 0, isLive: false, isSample: false, client: null,
}

interface Opened {
  readonly review: OpenedSession
  readonly history: SessionHistory
  readonly workspace: string
  readonly turns: readonly PromptId[]
  readonly dataFolder: string
  /** Opens the same session again, as after a restart. */
  readonly again: () => Promise<OpenedSession>
  /** The history of the same session as another process has it. */
  readonly elsewhere: () => Promise<SessionHistory>
  readonly read: (path: string) => Promise<string>
}

async function open(agent: SimulatedAgent): Promise<Opened> {
  const { session, workspace } = await openAgent(agent, true)
  if (workspace === null) throw new Error('The folder is missing.')
  const dataFolder = await mkdtemp(join(tmpdir(), 'overturn-data-'))
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  const opened = await openWorkspace(workspace)
  const states = createDiskStates()
  const store = await openBackupStore(dataFolder)
  const history = await openSessionHistory({ dataFolder, session: key, workspace: opened, store, log: silentLog, disk: states })
  const elsewhere = (): Promise<SessionHistory> => openSessionHistory({ dataFolder, session: key, workspace: opened, store, log: silentLog })
  const again = async (): Promise<OpenedSession> =>
    createOpenedSession({
      session,
      summary: () => summary,
      attached: { history, disk: createDiskView(opened, states) },
      store,
      marks: await openReviewMarks(dataFolder, key),
      comparer: createTextComparer(null),
      onChanged: () => undefined,
    })
  return { review: await again(), history, elsewhere, workspace, dataFolder, again, turns: session.turns.map((turn) => turn.promptId), read: (path) => readFile(join(workspace, path), 'utf8') }
}

function shown(changes: readonly FileChange[]): readonly string[] {
  return changes.map(({ path, kind, cause, stat }) => `${kind} ${path} ${cause} ${stat ? `+${stat.insertions} -${stat.deletions}` : '?'}`)
}

function story(): SimulatedAgent {
  const agent = new SimulatedAgent({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'bee\n' })
  agent.prompt('change a')
  agent.edit('a.txt', 'one', 'ONE')
  agent.prompt('make c, remove b')
  agent.write('c.txt', 'sea\n')
  agent.shell('rm b.txt', (disk) => disk.remove('b.txt'))
  agent.prompt('change a again')
  agent.edit('a.txt', 'three', 'THREE')
  return agent
}

const everything = { paths: null, resolutions: {} }

describe('an opened session', () => {
  it('lists the changes of each scope', async () => {
    const { review, turns, workspace } = await open(story())
    await writeFile(join(workspace, 'a.txt'), 'ONE\ntwo\nTHREE\nmine\n')
    const [one = promptId(''), two = promptId(''), three = promptId('')] = turns
    const list = async (scope: Scope): Promise<readonly string[]> => shown(await review.list(scope))
    expect({
      turn: await list({ kind: 'turn', promptId: two }),
      session: await list({ kind: 'session' }),
      range: await list({ kind: 'range', from: two, to: three }),
      disk: await list({ kind: 'to-disk', promptId: three }),
      user: await list({ kind: 'by-user', after: three }),
      between: await list({ kind: 'by-user', after: one }),
    }).toEqual({
      turn: ['deleted b.txt command ?', 'added c.txt edit +1 -0'],
      session: ['modified a.txt edit +2 -2', 'deleted b.txt command ?', 'added c.txt edit +1 -0'],
      range: ['modified a.txt edit +1 -1', 'deleted b.txt command ?', 'added c.txt edit +1 -0'],
      disk: ['modified a.txt edit +2 -1'],
      user: ['modified a.txt user +1 -0'],
      between: [],
    })
  })

  it('reads both sides of a change', async () => {
    const { review, turns } = await open(story())
    const { change, before, after } = await review.read({ kind: 'turn', promptId: turns[0] ?? promptId('') }, workspacePath('a.txt'), false)
    expect([change.sources, before, after]).toEqual([
      { before: 'backup', after: 'edit' },
      { kind: 'text', text: 'one\ntwo\nthree\n', sizeBytes: 14 },
      { kind: 'text', text: 'ONE\ntwo\nthree\n', sizeBytes: 14 },
    ])
  })

  it('shows recorded texts where a log has no snapshots, and says that the contents are not known', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('change a', false)
    agent.edit('a.txt', 'one', 'two')
    const { review, turns } = await open(agent)
    const { change, before, after } = await review.read({ kind: 'turn', promptId: turns[0] ?? promptId('') }, workspacePath('a.txt'), false)
    const header = await review.header()
    expect([change.kind, change.sources, change.badges, before, after, header.canRewind.kind]).toEqual([
      'modified',
      { before: 'record', after: 'record' },
      [{ kind: 'unknown', side: 'both', reason: 'no-record' }],
      { kind: 'text', text: 'one\n', sizeBytes: 4 },
      { kind: 'text', text: 'two\n', sizeBytes: 4 },
      'no',
    ])
  })

  it('keeps a reviewed mark over a restart, and drops it only when its content changes', async () => {
    const { review, turns, workspace, again } = await open(story())
    const scope: Scope = { kind: 'to-disk', promptId: turns[0] ?? promptId('') }
    const of = async (session: OpenedSession, path: string): Promise<string> => (await session.list(scope)).find((change) => change.path === path)?.review ?? 'gone'
    for (const change of await review.list(scope)) if (change.contentKey) await review.mark(scope, change.path, change.contentKey, true)
    const restarted = await again()
    const kept = [await of(restarted, 'a.txt'), await of(restarted, 'c.txt')]
    await writeFile(join(workspace, 'c.txt'), 'sea\nmine\n')
    const since = shown(await restarted.list({ kind: 'since-reviewed' }))
    expect([kept, await of(restarted, 'a.txt'), await of(restarted, 'c.txt'), since]).toEqual([['reviewed', 'reviewed'], 'reviewed', 'changed-since', ['modified c.txt user +1 -0']])
  })

  it('refuses a mark on a content that is no longer shown', async () => {
    const { review, turns } = await open(story())
    const scope: Scope = { kind: 'turn', promptId: turns[0] ?? promptId('') }
    await expect(review.mark(scope, workspacePath('a.txt'), '0'.repeat(64), true)).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
  })

  it('rewinds to the start of a turn, keeps later typing, and shows where the disk stands', async () => {
    const { review, history, turns, workspace, read } = await open(story())
    await writeFile(join(workspace, 'a.txt'), 'ONE\nmine\ntwo\nTHREE\n')
    const [, two = promptId('')] = turns
    const asked = await review.rewindTo({ kind: 'start', promptId: two }, everything)
    const plan = await history.preview(asked)
    const receipt = await history.apply(asked, plan.planHash)
    review.operationsChanged()
    const { playhead, takenBack, rows } = await review.outline()
    expect({
      results: receipt.files.map(({ path, result }) => `${path} ${result}`),
      tree: (await readdir(workspace)).sort(),
      a: await read('a.txt'),
      rows: rows.map((row) => row.kind),
      playhead,
      takenBack,
      undo: (await review.header()).undo?.operationId,
    }).toEqual({
      results: ['a.txt merged', 'b.txt left', 'c.txt deleted'],
      tree: ['a.txt'],
      a: 'ONE\nmine\ntwo\nthree\n',
      rows: ['turn', 'turn', 'turn', 'end', 'operation'],
      playhead: 1,
      takenBack: turns.slice(1),
      undo: receipt.operationId,
    })
  })

  it('shows what another process rewound and undid', async () => {
    const { review, history, turns, elsewhere } = await open(story())
    const before = (await review.outline()).revision
    const other = await elsewhere()
    const asked = await review.rewindTo({ kind: 'start', promptId: turns[1] ?? promptId('') }, everything)
    const { operationId } = await other.apply(asked, (await history.preview(asked)).planHash)
    const [header, outline] = await Promise.all([review.header(), review.outline()])
    await other.undo(null)
    expect([header.undo?.operationId, outline.revision > before, outline.playhead, outline.rows.filter(({ kind }) => kind === 'operation').length, (await review.header()).redo !== null, (await review.outline()).playhead]).toEqual([
      operationId, true, 1, 1, true, 6,
    ])
  })

  it('takes a file back to what it was when the agent first touched it, where no record shows it earlier', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'bee\n' })
    agent.prompt('change b')
    agent.edit('b.txt', 'bee', 'BEE')
    agent.prompt('change a')
    agent.edit('a.txt', 'one', 'ONE')
    const { review, turns } = await open(agent)
    const { files } = await review.rewindTo({ kind: 'start', promptId: turns[0] ?? promptId('') }, everything)
    const shownFiles = await Promise.all(files.map(async ({ path, target, turn }) => [path, Buffer.from(await target.read()).toString(), turn]))
    expect(shownFiles).toEqual([
      ['a.txt', 'one\n', 'turn 2'],
      ['b.txt', 'bee\n', 'turn 1'],
    ])
  })

  it('tells what each turn did, and what was typed after it', async () => {
    const agent = story()
    agent.put('a.txt', 'ONE\ntwo\nTHREE\nmine\n')
    agent.prompt('fourth')
    agent.edit('a.txt', 'two', 'TWO', { outcome: 'refused' })
    const { review, turns } = await open(agent)
    const [, two, three, four] = await review.turns(turns)
    expect([two, three, four].map((details) => [details?.files, details?.stat, details?.commands, details?.refused, details?.unknown, details?.byUser?.files ?? 0, details?.ticks.map(({ kind, label }) => `${kind} ${label}`)])).toEqual([
      [2, { insertions: 1, deletions: 0 }, 1, 0, 1, 0, ['change c.txt', 'command rm b.txt', 'unknown b.txt']],
      [1, { insertions: 1, deletions: 1 }, 0, 0, 0, 1, ['change a.txt']],
      [0, { insertions: 0, deletions: 0 }, 0, 1, 0, 0, ['refused a.txt']],
    ])
  })

  it('draws the map of files by turns, with what the user did last', async () => {
    const { review, workspace } = await open(story())
    await writeFile(join(workspace, 'c.txt'), 'mine\n')
    const { turns, files } = await review.map()
    expect([turns.map((turn) => turn.files), files.map(({ path, cells }) => `${path} ${cells.map((cell) => `${cell.turn}:${cell.kind}`).join(' ')}`)]).toEqual([
      [1, 2, 1],
      ['a.txt 0:modified 2:modified', 'b.txt 1:deleted', 'c.txt 1:added -1:modified'],
    ])
  })

  it('finds prompts, files and commands', async () => {
    const { review } = await open(story())
    const hits = await review.find('B', 10)
    expect(hits.map((hit) => (hit.kind === 'file' ? `file ${hit.path} in ${hit.turns}` : `${hit.kind} ${hit.text}`))).toEqual(['turn make c, remove b', 'file b.txt in 1', 'command rm b.txt'])
  })

  it('counts in the background what the user changed since', async () => {
    const { review, workspace } = await open(story())
    await writeFile(join(workspace, 'a.txt'), 'mine\n')
    await review.header()
    await expect.poll(async () => (await review.header()).byUser).toEqual({ files: 1, stat: { insertions: 1, deletions: 3 } })
  })
})
