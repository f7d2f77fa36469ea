import { createHash } from 'node:crypto'
import type { FileState } from '../../shared/file-state.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import type { ComputedChange } from './computed-ledger.js'
import { conversionsOf } from './git-attributes.js'
import type { GitObjects } from './git-objects.js'
import { GitTrees, type TreeDifference, type TreeDifferences, type TreeEntry } from './git-trees.js'
import { readInside } from './read-inside.js'
import { trackedPath } from './tracked-paths.js'

const linkMode = '120000'
const repositoryMode = '160000'

export interface StatesDeps {
  readonly objects: GitObjects
  /** The session's folder as the snapshots name it, relative to their root; `''` where they are the same. */
  readonly below: string
  /** The session's folder as the log names it. */
  readonly folder: string | null
  /** The same on this computer; `null` where it is not here. */
  readonly workspace: string | null
  /** Attributes that the agent itself has set. */
  readonly ownAttributes: string
}

/**
 * What files were, by the agent's snapshots. A state is told only where git cannot have stored other bytes than there were, and
 * where a file that a snapshot lacks cannot just have been left out of it.
 */
export class SnapshotStates {
  private readonly trees: GitTrees
  private readonly blobOf = new Map<string, string>()
  private readonly digests = new Map<string, Promise<{ readonly state: FileState; readonly hasLineEnds: boolean }>>()

  constructor(private readonly deps: StatesDeps) {
    this.trees = new GitTrees(deps.objects)
  }

  has(tree: string): Promise<boolean> {
    return this.trees.has(tree)
  }

  /** The files of the session's folder that two snapshots hold differently. */
  async differences(before: string, after: string, signal?: AbortSignal): Promise<TreeDifferences> {
    const { found, lost } = await this.trees.differences(before, after, this.deps.below, signal)
    return { found: found.filter((each) => !isRepository(each) && !isModeOnly(each) && this.pathOf(each.path) !== null), lost }
  }

  changeOf({ path: inTree, before, after }: TreeDifference, beforeTree: string, afterTree: string): ComputedChange {
    const path = this.pathOf(inTree) ?? workspacePath('')
    const isLeftOut = this.rulesChanged(beforeTree, afterTree, inTree)
    const stateIn = async (tree: string, entry: TreeEntry | null | undefined): Promise<FileState> => {
      if (entry === undefined) return { kind: 'unknown', reason: 'backup-missing' }
      return entry === null && (await isLeftOut()) ? { kind: 'unknown', reason: 'no-record' } : this.stateOfEntry(tree, entry, inTree)
    }
    return { path, before: () => stateIn(beforeTree, before), after: () => stateIn(afterTree, after) }
  }

  /** Whether a path lies in one of the folders, which are named from the root of the snapshots. */
  isIn(path: WorkspacePath, folders: readonly string[]): boolean {
    const inTree = this.inTree(path)
    return folders.some((folder) => folder === '' || inTree.startsWith(`${folder}/`))
  }

  /** What a file was in one snapshot, where nothing else is known of it: that it is lacking there proves nothing. */
  async stateOf(tree: string, path: WorkspacePath): Promise<FileState> {
    const inTree = this.inTree(path)
    const entry = await this.trees.entryAt(tree, inTree)
    return entry ? this.stateOfEntry(tree, entry, inTree) : { kind: 'unknown', reason: 'no-record' }
  }

  /** The bytes of a state that was told; `null` where they are gone. */
  async read(sha256: string, signal?: AbortSignal): Promise<Uint8Array | null> {
    const blob = this.blobOf.get(sha256)
    const object = blob === undefined ? null : await this.deps.objects.read(blob, signal)
    return object?.type === 'blob' && digest(object.bytes) === sha256 ? object.bytes : null
  }

  private inTree(path: WorkspacePath): string {
    return this.deps.below === '' ? path : `${this.deps.below}/${path}`
  }

  private pathOf(inTree: string): WorkspacePath | null {
    const { below, folder } = this.deps
    const relative = below === '' ? inTree : inTree.startsWith(`${below}/`) ? inTree.slice(below.length + 1) : ''
    return trackedPath(relative, folder)
  }

  private async stateOfEntry(tree: string, entry: TreeEntry | null, inTree: string): Promise<FileState> {
    if (entry === null) return { kind: 'absent' }
    const { state, hasLineEnds } = await this.digestOf(entry)
    if (state.kind !== 'file') return state
    const conversions = await this.conversionsAt(tree, inTree)
    const isCertain = !conversions.has('any') && (!conversions.has('line-ends') || !hasLineEnds || (await this.hasPlainLineEnds(this.pathOf(inTree))))
    return isCertain ? state : { kind: 'unknown', reason: 'no-record' }
  }

  private digestOf({ mode, object }: TreeEntry): Promise<{ readonly state: FileState; readonly hasLineEnds: boolean }> {
    const key = `${mode} ${object}`
    const known = this.digests.get(key)
    if (known) return known
    const read = this.deps.objects.read(object).then((found): { readonly state: FileState; readonly hasLineEnds: boolean } => {
      if (found?.type !== 'blob') return { state: { kind: 'unknown', reason: 'backup-missing' }, hasLineEnds: false }
      if (mode === linkMode) return { state: { kind: 'link', target: found.bytes.toString('utf8') }, hasLineEnds: false }
      const sha256 = digest(found.bytes)
      this.blobOf.set(sha256, object)
      // A snapshot knows of a mode only whether the file can be run.
      return { state: { kind: 'file', sha256, sizeBytes: found.bytes.length, mode: null }, hasLineEnds: found.bytes.includes(10) }
    })
    this.digests.set(key, read)
    read.catch(() => this.digests.delete(key))
    return read
  }

  private async conversionsAt(tree: string, inTree: string): Promise<ReturnType<typeof conversionsOf>> {
    const files: { readonly text: string; readonly path: string }[] = []
    for (const folder of foldersAbove(inTree)) {
      const text = await this.textAt(tree, folder === '' ? '.gitattributes' : `${folder}/.gitattributes`)
      if (text !== null) files.push({ text, path: folder === '' ? inTree : inTree.slice(folder.length + 1) })
    }
    return conversionsOf([...files, { text: this.deps.ownAttributes, path: inTree }])
  }

  private async textAt(tree: string, path: string): Promise<string | null> {
    const entry = await this.trees.entryAt(tree, path)
    const object = entry ? await this.deps.objects.read(entry.object) : null
    return object?.type === 'blob' ? object.bytes.toString('utf8') : null
  }

  /** Whether the rules for what is left out differ between two snapshots. Asked once. */
  private rulesChanged(before: string, after: string, path: string): () => Promise<boolean> {
    let answer: Promise<boolean> | null = null
    const ask = async (): Promise<boolean> => {
      for (const folder of foldersAbove(path)) {
        const name = folder === '' ? '.gitignore' : `${folder}/.gitignore`
        const [one, two] = [await this.trees.entryAt(before, name), await this.trees.entryAt(after, name)]
        if (one?.object !== two?.object) return true
      }
      return false
    }
    return () => (answer ??= ask())
  }

  /** Git may have turned `\r\n` into `\n`; a file that has none of it now is taken not to have had any. */
  private async hasPlainLineEnds(path: WorkspacePath | null): Promise<boolean> {
    const now = path === null ? null : await readInside(this.deps.workspace, path)
    return now !== null && !Buffer.from(now).includes('\r\n')
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function isRepository({ before, after }: TreeDifference): boolean {
  return before?.mode === repositoryMode || after?.mode === repositoryMode
}

function isModeOnly({ before, after }: TreeDifference): boolean {
  return !!before && !!after && before.object === after.object && (before.mode === linkMode) === (after.mode === linkMode)
}

/** The folders above a path, from the root inwards. */
function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1)
  return ['', ...names.map((_, index) => names.slice(0, index + 1).join('/'))]
}
