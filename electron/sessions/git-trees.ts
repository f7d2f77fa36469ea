import type { GitObjects } from './git-objects.js'

const deepest = 100
const folderMode = '40000'
/** Trees that are kept; a session's snapshots share most of theirs. */
const keptTrees = 4_000

export interface TreeEntry {
  /** As git writes it: `100644`, `100755`, `120000` for a link, `160000` for a repository inside. */
  readonly mode: string
  readonly object: string
}

/** A path that two trees hold differently; `null` where a tree does not have it, `undefined` where that cannot be told. */
export interface TreeDifference {
  readonly path: string
  readonly before: TreeEntry | null | undefined
  readonly after: TreeEntry | null | undefined
}

export interface TreeDifferences {
  readonly found: readonly TreeDifference[]
  /** Folders that differ, but of which neither side can be read. */
  readonly lost: readonly string[]
}

type Entries = ReadonlyMap<string, TreeEntry>

/** Whole folders as git keeps them. */
export class GitTrees {
  private readonly trees = new Map<string, Promise<Entries | null>>()

  constructor(private readonly objects: GitObjects) {}

  async has(tree: string): Promise<boolean> {
    return (await this.entriesOf(tree)) !== null
  }

  /** The files in which two trees differ, below a folder (`''` for all). Only what differs is read. */
  async differences(before: string, after: string, below: string, signal?: AbortSignal): Promise<TreeDifferences> {
    const found: TreeDifference[] = []
    const lost: string[] = []
    await this.compare(await this.folder(before, below), await this.folder(after, below), below, { found, lost }, 0, signal)
    return { found, lost }
  }

  /** What a tree has at a path: `undefined` where an object on the way is missing, `null` where it has nothing there. */
  async entryAt(tree: string, path: string): Promise<TreeEntry | null | undefined> {
    let entry: TreeEntry | null = { mode: folderMode, object: tree }
    for (const name of path === '' ? [] : path.split('/')) {
      if (entry.mode !== folderMode) return null
      const entries = await this.entriesOf(entry.object)
      if (!entries) return undefined
      entry = entries.get(name) ?? null
      if (!entry) return null
    }
    return entry
  }

  private async folder(tree: string, below: string): Promise<string | null | undefined> {
    const entry = await this.entryAt(tree, below)
    return entry && entry.mode !== folderMode ? null : entry === null || entry === undefined ? entry : entry.object
  }

  private async compare(
    before: string | null | undefined,
    after: string | null | undefined,
    folder: string,
    into: { readonly found: TreeDifference[]; readonly lost: string[] },
    depth: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (before === after && before !== undefined) return
    const [one, two] = [await this.listing(before, depth, signal), await this.listing(after, depth, signal)]
    if (!one && !two) return void into.lost.push(folder)
    const sideOf = (entries: Entries | null, name: string): TreeEntry | null | undefined => (entries ? (entries.get(name) ?? null) : undefined)
    for (const name of new Set([...(one ?? noEntries).keys(), ...(two ?? noEntries).keys()])) {
      const [left, right] = [sideOf(one, name), sideOf(two, name)]
      if (left && right && left.object === right.object && left.mode === right.mode) continue
      const path = folder === '' ? name : `${folder}/${name}`
      const [isLeftFolder, isRightFolder] = [left?.mode === folderMode, right?.mode === folderMode]
      if (isLeftFolder || isRightFolder) await this.compare(folderOf(left), folderOf(right), path, into, depth + 1, signal)
      const [leftFile, rightFile] = [isLeftFolder ? null : left, isRightFolder ? null : right]
      if (leftFile || rightFile) into.found.push({ path, before: leftFile, after: rightFile })
    }
  }

  /** `null` where it cannot be read. */
  private async listing(tree: string | null | undefined, depth: number, signal: AbortSignal | undefined): Promise<Entries | null> {
    if (tree === null) return noEntries
    return tree === undefined || depth > deepest ? null : this.entriesOf(tree, signal)
  }

  private entriesOf(tree: string, signal?: AbortSignal): Promise<Entries | null> {
    const known = this.trees.get(tree)
    if (known) return known
    const read = this.objects.read(tree, signal).then((object) => (object?.type === 'tree' ? parseTree(object.bytes, tree.length / 2) : null))
    this.trees.set(tree, read)
    if (this.trees.size > keptTrees) for (const oldest of this.trees.keys()) if (this.trees.delete(oldest)) break
    read.catch(() => this.trees.delete(tree))
    return read
  }
}

const noEntries: Entries = new Map()

/** The tree of an entry that is a folder; `null` for another one. */
function folderOf(entry: TreeEntry | null | undefined): string | null | undefined {
  return entry && entry.mode === folderMode ? entry.object : entry === undefined ? undefined : null
}

/** `null` for bytes that are no tree, or one with names that no file has. */
function parseTree(bytes: Buffer, hashBytes: number): Entries | null {
  const entries = new Map<string, TreeEntry>()
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const end = bytes.indexOf(0, space)
    if (space < 0 || end < 0 || end + 1 + hashBytes > bytes.length) return null
    const mode = bytes.toString('latin1', at, space)
    const raw = bytes.subarray(space + 1, end)
    at = end + 1 + hashBytes
    const name = decoded(decoder, raw)
    // A name that is no UTF-8 has no path here; a hostile one leads elsewhere.
    if (name === null || name === '' || name === '.' || name === '..' || name.includes('/')) continue
    entries.set(name, { mode, object: bytes.toString('hex', end + 1, at) })
  }
  return entries
}

function decoded(decoder: { decode(bytes: Uint8Array): string }, bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}
