import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { openQwenSession } from '../sessions/qwen-code.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { sedInThisThread } from '../testing/open-simulated.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'
import { createContents, type Contents } from './contents.js'
import { createDiskView } from './disk-view.js'
import { isKnown, type Held } from './held.js'
import { turnFiles } from './turn-files.js'

/** What the recorder's own tool found at each prompt, independent of the log. */
interface Truth {
  readonly sessionId: string
  readonly prompts: readonly { readonly dead?: boolean; readonly files: TruthTree }[]
  readonly final: TruthTree
}
type TruthTree = Readonly<Record<string, { readonly sha256?: string; readonly mode?: string }>>

const recordings = join(import.meta.dirname, '../sessions/fixtures/qwen-code')

async function openRecording(name: string): Promise<{ readonly truth: Truth; readonly session: RecordedSession; readonly contents: Contents }> {
  const folder = join(recordings, name)
  const truth = JSON.parse(await readFile(join(folder, 'truth.json'), 'utf8')) as Truth
  const qwen = join(folder, 'home/.qwen')
  const [project = ''] = await readdir(join(qwen, 'projects'))
  const file = join(qwen, 'projects', project, 'chats', `${truth.sessionId}.jsonl`)
  const session = await openQwenSession({ file, agent: 'qwen-code', indexFile: null, backupHomes: [join(qwen, 'file-history')], isFollowed: false, log: silentLog })
  onTestFinished(() => session.close())
  await session.whenLoaded()
  const disk = createDiskView(await openWorkspace(join(folder, 'trees/final')), createDiskStates())
  return { truth, session, contents: createContents({ session, disk: () => disk, sed: sedInThisThread }) }
}

/** `known` where it is exactly the truth, `?` where it is unknown, `FALSE` where it is anything else. */
function judge({ content }: Held, truth: TruthTree[string] | undefined): string {
  const { state } = content
  if (state.kind === 'unknown') return `? ${state.reason}`
  if (state.kind === 'absent') return truth ? 'FALSE' : 'known'
  if (state.kind !== 'file') return 'FALSE'
  const isSameMode = state.mode === null || truth?.mode === undefined || state.mode.toString(8).padStart(4, '0') === truth.mode
  return state.sha256 === truth?.sha256 && isSameMode ? 'known' : 'FALSE'
}

async function judgeAll(name: string): Promise<{ readonly known: number; readonly others: Readonly<Record<string, string>> }> {
  const { truth, session, contents } = await openRecording(name)
  const live = truth.prompts.filter((prompt) => prompt.dead !== true)
  expect(session.turns.length).toBe(live.length)
  const others: Record<string, string> = {}
  let known = 0
  const take = (moment: string, held: Held, tree: TruthTree, path: string): void => {
    const verdict = judge(held, tree[path])
    if (verdict === 'known') known++
    else others[`${path} at ${moment}`] = verdict
  }
  for (const path of await contents.pathsTouched()) {
    for (const [at, { promptId }] of session.turns.entries()) {
      take(`${at + 1}`, await contents.contentAt({ kind: 'start', promptId }, path), live[at]?.files ?? {}, path)
    }
    const last = session.turns.at(-1)
    if (last) take('the end', await contents.contentAt({ kind: 'end', promptId: last.promptId }, path), truth.final, path)
  }
  return { known, others }
}

describe('what is known of recorded sessions', () => {
  it('is every file of every turn where only edits were made, but for one that nobody saw before its first edit', async () => {
    expect(await judgeAll('small-edits')).toEqual({ known: 11, others: { 'src/index.ts at 1': '? no-record' } })
  })

  it('leaves out what a shell may have changed, and what nobody saw before its first edit', async () => {
    expect(await judgeAll('sed-delete-user-edit')).toEqual({
      known: 10,
      others: {
        'lib/util.js at 1': '? no-record',
        'lib/util.js at 2': '? no-record',
        'lib/util.js at 3': '? no-record',
        'notes.txt at 1': '? no-record',
        'notes.txt at 2': '? no-record',
        'old at 1': '? no-record',
        'old at 2': '? no-record',
        'old at 3': '? no-record',
        'old at 4': '? no-record',
        'old at the end': '? no-record',
      },
    })
  })

  it('follows the live branch over a turn that was set aside', async () => {
    const { known, others } = await judgeAll('shop')
    expect([known, new Set(Object.values(others))]).toEqual([81, new Set(['? no-record', '? records-disagree'])])
  })
})

describe('the files of recorded turns', () => {
  it('are those that the calls edited and those that commands name, but for a sed that changes nothing', async () => {
    const { session, contents } = await openRecording('sed-delete-user-edit')
    const listed = await Promise.all(session.turns.map(({ promptId }) => turnFiles(contents, promptId)))
    expect(listed.map((files) => files.map(({ path, cause, before, after }) => `${path} ${cause} ${isKnown(before) ? 'known' : '?'} ${isKnown(after) ? after.source : '?'}`))).toEqual([
      ['lib/api.js sed known edit'],
      ['lib/api.js edit known edit', 'old command ? command'],
      ['notes.txt edit known edit'],
      ['lib/api.js edit known edit', 'lib/util.js edit known edit'],
    ])
  })
})
