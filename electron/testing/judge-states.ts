import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import { createContents, type Contents } from '../review/contents.js'
import { createDiskView } from '../review/disk-view.js'
import type { Held } from '../review/held.js'
import type { BackupStore } from '../history/backup-store.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'
import { sedInThisThread } from './open-simulated.js'

/** Path to the sha256 of what the file held. */
export type TruthTree = Readonly<Record<string, string>>

/** What really was on the disk while a session was recorded. */
export interface RecordedTruth {
  readonly prompts: readonly {
    readonly text: string
    readonly sessionFile: string
    readonly changed: readonly { readonly path: string; readonly kind: string }[]
    readonly start: TruthTree
    readonly end: TruthTree
  }[]
}

export function readTruth(fixture: string): RecordedTruth {
  return JSON.parse(readFileSync(join(fixture, 'truth.json'), 'utf8')) as RecordedTruth
}

/** Writes a tree of a recording to a new folder; returns it. */
export function writeTruthTree(fixture: string, tree: TruthTree): string {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-tree-'))
  for (const [path, sha256] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), readFileSync(join(fixture, 'blobs', sha256)))
  }
  return folder
}

export interface Judged {
  /** States at starts and ends of turns that are known and true; the ends of changed files among them, and how many of these there are. */
  readonly known: number
  readonly knownEnds: number
  readonly changedEnds: number
  /** Moment and path to the reason. */
  readonly unknown: Readonly<Record<string, string>>
  /** Must be empty. */
  readonly wrong: readonly string[]
}

/** Holds every state of a recorded session, at both edges of each turn, against what really was. `folder` is the disk; `null` for none. */
export async function judgeStates(session: RecordedSession, truth: RecordedTruth['prompts'], folder: string | null, store?: BackupStore): Promise<Judged> {
  await session.whenLoaded()
  const disk = folder === null ? null : createDiskView(await openWorkspace(folder), createDiskStates())
  const contents = createContents({ session, disk: () => disk, sed: sedInThisThread, ...(store ? { store } : {}) })
  const paths = new Set<WorkspacePath>([...(await contents.pathsTouched()), ...truth.flatMap(({ changed }) => changed.map(({ path }) => workspacePath(path)))])
  const counts = { known: 0, knownEnds: 0, changedEnds: 0 }
  const unknown: Record<string, string> = {}
  const wrong: string[] = []
  const take = async (held: Held, tree: TruthTree, where: string, isChangedEnd: boolean): Promise<void> => {
    const verdict = await judge(held, tree[where.slice(where.indexOf(' ') + 1)])
    if (isChangedEnd) counts.changedEnds++
    if (verdict === 'known') {
      counts.known++
      if (isChangedEnd) counts.knownEnds++
    } else if (verdict === 'wrong') wrong.push(where)
    else unknown[where] = verdict
  }
  for (const [at, { promptId }] of session.turns.entries()) {
    const { start = {}, end = {}, changed = [] } = truth[at] ?? {}
    for (const path of paths) {
      await take(await contents.contentAt({ kind: 'start', promptId }, path), start, `start${at + 1} ${path}`, false)
      const isChanged = changed.some((each) => each.path === path)
      await take(await contents.contentAt({ kind: 'end', promptId }, path), end, `end${at + 1} ${path}`, isChanged)
    }
  }
  return { ...counts, unknown, wrong }
}

async function judge({ content, source }: Held, sha256: string | undefined): Promise<string> {
  const { state } = content
  if (state.kind === 'unknown') return state.reason
  if (state.kind === 'absent') return sha256 === undefined ? 'known' : 'wrong'
  if (state.kind !== 'file') return 'wrong'
  const bytes = await content.read()
  const isTrue = source !== 'none' && createHash('sha256').update(bytes).digest('hex') === sha256 && state.sha256 === sha256
  return isTrue ? 'known' : 'wrong'
}

export type { Contents }
