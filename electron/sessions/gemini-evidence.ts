import { readFileSync, statSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { conversionsOf } from './git-attributes.js'
import { openGitObjects, type GitObjects } from './git-objects.js'
import { GitTrees } from './git-trees.js'
import { objectAt, parseObject, textAt } from './json-values.js'

const objectName = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const largestCheckpoint = 64 << 20
const mostCheckpoints = 5_000
/** How far back in the history of a project a file is looked for. */
const mostCommits = 50

/** Whole trees as git holds them, and single files in them as bytes. */
export class GitFiles {
  private readonly objects: GitObjects
  private readonly trees: GitTrees

  constructor(private readonly gitFolder: string) {
    this.objects = openGitObjects({ gitFolder, alternates: [] })
    this.trees = new GitTrees(this.objects)
  }

  close(): void {
    this.objects.close()
  }

  /** The bytes of a file in a commit's tree, where git cannot have stored other ones than there were; `null` where that is not sure. */
  async fileIn(commit: string, path: string, signal?: AbortSignal): Promise<Buffer | null> {
    const tree = (await this.commit(commit, signal))?.tree ?? null
    const entry = tree === null ? null : await this.trees.entryAt(tree, path)
    if (tree === null || !entry?.mode.startsWith('100') || (await this.isConverted(tree, path))) return null
    const object = await this.objects.read(entry.object, signal)
    return object?.type === 'blob' ? object.bytes : null
  }

  /** The newest commits, newest first. */
  async commits(signal?: AbortSignal): Promise<readonly string[]> {
    const found: string[] = []
    for (let name = this.head(); name !== null && found.length < mostCommits; ) {
      const commit = await this.commit(name, signal)
      if (!commit) break
      found.push(name)
      name = commit.parent
    }
    return found
  }

  private async commit(name: string, signal: AbortSignal | undefined): Promise<{ readonly tree: string; readonly parent: string | null } | null> {
    const object = objectName.test(name) ? await this.objects.read(name, signal) : null
    const text = object?.type === 'commit' ? object.bytes.toString('latin1') : ''
    const tree = /^tree ([0-9a-f]+)$/m.exec(text)?.[1]
    return tree === undefined ? null : { tree, parent: /^parent ([0-9a-f]+)$/m.exec(text)?.[1] ?? null }
  }

  private async isConverted(tree: string, path: string): Promise<boolean> {
    const names = path.split('/').slice(0, -1)
    const files: { readonly text: string; readonly path: string }[] = []
    for (let depth = 0; depth <= names.length; depth++) {
      const folder = names.slice(0, depth).map((name) => `${name}/`).join('')
      const entry = await this.trees.entryAt(tree, `${folder}.gitattributes`)
      const object = entry ? await this.objects.read(entry.object) : null
      if (object) files.push({ text: object.bytes.toString('utf8'), path: path.slice(folder.length) })
    }
    const own = { text: textOf(join(this.gitFolder, 'info', 'attributes')), path }
    return conversionsOf([...files, own]).size > 0 || /^\s*autocrlf\s*=\s*(true|input)/im.test(textOf(join(this.gitFolder, 'config')))
  }

  private head(): string | null {
    const head = textOf(join(this.gitFolder, 'HEAD')).trim()
    const ref = /^ref: (refs\/[\w./-]+)$/.exec(head)?.[1]
    if (ref === undefined || ref.includes('..')) return objectName.test(head) ? head : null
    const loose = textOf(join(this.gitFolder, ref)).trim()
    if (objectName.test(loose)) return loose
    const packed = textOf(join(this.gitFolder, 'packed-refs')).split('\n').find((line) => line.endsWith(` ${ref}`))
    return packed?.split(' ')[0] ?? null
  }
}

/** A tree that the agent kept before an edit. */
export interface Checkpoint {
  readonly tool: string
  /** Arguments as JSON. */
  readonly args: string
  readonly commit: string
}

/**
 * The checkpoints of a project, oldest first.
 * Source: Gemini CLI 0.61 writes one before each approved edit, with the arguments of the call and a commit of its shadow repository.
 */
export async function readCheckpoints(folder: string): Promise<readonly Checkpoint[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort().slice(-mostCheckpoints)
  const found: Checkpoint[] = []
  for (const name of names) {
    const file = join(folder, name)
    const stats = await stat(file).catch(() => null)
    const data = stats?.isFile() && stats.size <= largestCheckpoint ? parseObject(await readFile(file, 'utf8').catch(() => '')) : null
    const call = objectAt(data, 'toolCall')
    const commit = textAt(data, 'commitHash')
    if (!call || commit === null || !objectName.test(commit)) continue
    found.push({ tool: textAt(call, 'name') ?? '', args: JSON.stringify(objectAt(call, 'args') ?? {}, null, 2), commit })
  }
  return found
}

function textOf(file: string): string {
  try {
    return statSync(file).size < 1 << 20 ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
