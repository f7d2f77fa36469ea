import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { silentLog } from '../base/log.js'
import { apply } from '../edits/sed-edit.js'
import type { SedRunner } from '../edits/sed-runner.js'
import { createContents, type Contents, type DiskView } from '../review/contents.js'
import { createDiskView } from '../review/disk-view.js'
import { openQwenSession } from '../sessions/qwen-code.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'
import type { SimFile, SimulatedAgent } from './simulated-agent.js'

export interface OpenedAgent {
  readonly session: RecordedSession
  readonly contents: Contents
  /** The folder with the agent's files as they are at the end; `null` where none was asked for. */
  readonly workspace: string | null
}

/** Saves what an agent recorded, and reads it as any session is read; with `isAttached` its files are on the disk as well. */
export async function openAgent(agent: SimulatedAgent, isAttached = false): Promise<OpenedAgent> {
  const home = await mkdtemp(join(tmpdir(), 'overturn-agent-'))
  const { file, backupHome } = await agent.save(home)
  const session = await openQwenSession({ file, agent: 'qwen-code', indexFile: null, backupHomes: [backupHome], exactHomes: [backupHome], isFollowed: false, log: silentLog })
  onTestFinished(async () => {
    session.close()
    await rm(home, { recursive: true, force: true })
  })
  await session.whenLoaded()
  const workspace = isAttached ? join(home, 'work') : null
  if (workspace) await writeTree(workspace, agent.files)
  const disk: DiskView | null = workspace === null ? null : createDiskView(await openWorkspace(workspace), createDiskStates())
  return { session, contents: createContents({ session, disk: () => disk, sed: sedInThisThread }), workspace }
}

/** A sed without a thread of its own. */
export const sedInThisThread: SedRunner = {
  apply: async (bytes, parsed, options) => apply(bytes, parsed, options),
  close: async () => undefined,
}

/** What is known of a file at the start of a live turn (from 1), or at the end of the last one: its text, `absent`, or `?` with the reason. */
export async function known({ contents }: OpenedAgent, turn: number | 'end', path: string): Promise<string> {
  const { turns } = contents.now().steps
  const at = turn === 'end' ? turns.length : turn
  const promptId = turns[at - 1]?.promptId
  if (promptId === undefined) throw new Error(`There is no turn ${at}.`)
  const { state, read } = (await contents.contentAt({ kind: turn === 'end' ? 'end' : 'start', promptId }, workspacePath(path))).content
  if (state.kind === 'file') return Buffer.from(await read()).toString()
  if (state.kind === 'link') return `-> ${state.target}`
  return state.kind === 'unknown' ? `? ${state.reason}` : state.kind
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function writeTree(folder: string, files: ReadonlyMap<string, SimFile>): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [path, { bytes, mode }] of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
    await chmod(file, mode)
  }
}
