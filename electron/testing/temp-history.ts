import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FileState, UnknownReason } from '../../shared/file-state.js'
import { promptId, sessionKey, workspacePath, type OperationId, type WorkspacePath } from '../../shared/ids.js'
import type { Receipt, Resolution, RewindChoices } from '../../shared/rewind.js'
import { silentLog } from '../base/log.js'
import { openDataFolder } from '../base/settings.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { sha256Of } from '../workspace/text-files.js'
import { openWorkspace, type Workspace } from '../workspace/workspace.js'
import { openBackupStore, type BackupStore } from '../history/backup-store.js'
import type { KnownContent } from '../history/content.js'
import type { RewindInput } from '../history/rewind.js'
import { openSessionHistory, type SessionHistory, type SessionRewind } from '../history/session-history.js'

/** A content in a test: text, bytes, a link, nothing, or not known. A bare string is a text of unknown mode. */
export type TestContent = string | null | { readonly text: string; readonly mode: number } | { readonly bytes: Uint8Array } | { readonly link: string } | { readonly unknown: UnknownReason }

/** A workspace and a data folder in the temporary folder, with a session's history over them. */
export interface TempHistory {
  readonly root: string
  readonly data: string
  readonly workspace: Workspace
  readonly store: BackupStore
  readonly history: SessionHistory
  /** Absolute path of a file of the workspace. */
  at(path: string): string
  put(path: string, content: TestContent): void
  /** Every file and link with its mode and content, and empty folders with a slash. */
  tree(): Record<string, string>
  /** Plans and applies at once: each file with its target, and what the agent left. */
  rewind(files: Readonly<Record<string, FileCase>>, resolutions?: Readonly<Record<string, Resolution>>): Promise<Receipt>
  /** The same service after a restart: only what lies on the disk is known. */
  reopen(): Promise<SessionHistory>
  dispose(): void
}

export interface FileCase {
  readonly target: TestContent
  readonly base: TestContent
  readonly turn?: string
}

export const testSession = sessionKey('0123456789abcdef')

export async function tempHistory(files: Readonly<Record<string, TestContent>> = {}, now?: () => number): Promise<TempHistory> {
  const root = mkdtempSync(join(tmpdir(), 'overturn-history-'))
  const data = join(root, 'data')
  mkdirSync(join(root, 'ws'))
  openDataFolder(data)
  const workspace = await openWorkspace(join(root, 'ws'))
  const store = await openBackupStore(data)
  const open = async (): Promise<SessionHistory> =>
    openSessionHistory({ dataFolder: data, session: testSession, workspace, store: await openBackupStore(data), log: silentLog, disk: createDiskStates(), now })
  const history = await open()
  const at = (path: string): string => join(workspace.root, path)
  const put = (path: string, content: TestContent): void => putAt(at(path), content)
  for (const [path, content] of Object.entries(files)) put(path, content)
  return {
    root: workspace.root,
    data,
    workspace,
    store,
    history,
    at,
    put,
    tree: () => treeOf(workspace.root),
    rewind: (cases, resolutions = {}) => {
      const choices: RewindChoices = { paths: null, resolutions }
      return history.apply(rewindOf(cases, choices), null)
    },
    reopen: open,
    dispose: () => rmSync(root, { recursive: true, force: true }),
  }
}

export function rewindOf(cases: Readonly<Record<string, FileCase>>, choices: RewindChoices = { paths: null, resolutions: {} }): SessionRewind {
  const files: RewindInput[] = Object.entries(cases).map(([path, each]) => ({
    path: workspacePath(path),
    target: contentOf(each.target),
    base: contentOf(each.base),
    turn: each.turn ?? null,
  }))
  return { target: { kind: 'start', promptId: promptId('p4') }, turn: 'turn 4', files, choices }
}

export function contentOf(content: TestContent): KnownContent {
  const bytes = bytesOf(content)
  return { state: stateOf(content), read: () => (bytes ? Promise.resolve(bytes) : Promise.reject(new Error('There are no bytes.'))) }
}

export function stateOf(content: TestContent): FileState {
  if (content === null) return { kind: 'absent' }
  if (typeof content === 'object' && 'link' in content) return { kind: 'link', target: content.link }
  if (typeof content === 'object' && 'unknown' in content) return { kind: 'unknown', reason: content.unknown }
  const bytes = bytesOf(content) ?? new Uint8Array()
  const mode = typeof content === 'object' && 'mode' in content ? content.mode : null
  return { kind: 'file', sha256: sha256Of(bytes), sizeBytes: bytes.length, mode }
}

/** Each file of a receipt as `action result`. */
export function resultsOf(receipt: Receipt): Record<string, string> {
  return Object.fromEntries(receipt.files.map((file) => [file.path, `${file.action} ${file.result}${file.error ? ` ${file.error}` : ''}`]))
}

export function pathsOf(...paths: readonly string[]): WorkspacePath[] {
  return paths.map(workspacePath)
}

export function idOf(receipt: Receipt): OperationId {
  return receipt.operationId
}

function bytesOf(content: TestContent): Uint8Array | null {
  if (content === null) return null
  if (typeof content === 'string') return Buffer.from(content, 'utf8')
  if ('text' in content) return Buffer.from(content.text, 'utf8')
  return 'bytes' in content ? content.bytes : null
}

function putAt(absolute: string, content: TestContent): void {
  rmSync(absolute, { force: true, recursive: true })
  if (content === null) return
  mkdirSync(dirname(absolute), { recursive: true })
  if (typeof content === 'object' && 'link' in content) return symlinkSync(content.link, absolute)
  writeFileSync(absolute, bytesOf(content) ?? '')
  chmodSync(absolute, typeof content === 'object' && 'mode' in content ? content.mode : 0o644)
}

function treeOf(folder: string, prefix = ''): Record<string, string> {
  const tree: Record<string, string> = {}
  for (const name of readdirSync(folder).sort()) {
    const absolute = join(folder, name)
    const stats = lstatSync(absolute)
    if (stats.isDirectory()) {
      const below = treeOf(absolute, `${prefix}${name}/`)
      Object.assign(tree, Object.keys(below).length === 0 ? { [`${prefix}${name}/`]: (stats.mode & 0o777).toString(8) } : below)
    } else if (stats.isSymbolicLink()) {
      tree[prefix + name] = `link ${readlinkSync(absolute)}`
    } else {
      tree[prefix + name] = `${(stats.mode & 0o777).toString(8)} ${readFileSync(absolute, 'latin1')}`
    }
  }
  return tree
}
