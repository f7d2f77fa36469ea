import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { Moment } from '../../shared/file-state.js'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import { formatPatch, type PatchFile, type PatchSide } from '../../shared/patch.js'
import type { KnownContent } from '../history/content.js'
import { hasTyping } from '../review/scoped-pairs.js'
import type { Opened } from '../review/workbench.js'
import type { CommandLine } from './arguments.js'
import { momentNamed } from './moments.js'
import { asJson, plain, session } from './words.js'
import type { CommandWorld, ExitCode } from './world.js'

/**
 * `diff <session> [--from <turn|start>] [--to <turn|end|disk>] [path…]`: a patch that `git apply` accepts. Files of which
 * one side is not known are left out and named; the exit code is 1 then. Files that others than the agent changed in between are
 * named too: the patch holds their changes as well.
 */
export async function diff(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const opened = await world.open(session(line))
  const from = momentNamed(opened.recorded, line.text('from') ?? 'start')
  const to = momentNamed(opened.recorded, line.text('to') ?? 'end')
  const given = line.words.slice(1).map(workspacePath)
  const paths = given.length > 0 ? given : await opened.review.contents.pathsTouched(world.signal)
  const unknown: WorkspacePath[] = []
  const patches: string[] = []
  const withTyping: WorkspacePath[] = []
  const since = from.kind === 'disk' || to.kind === 'disk' ? await typedSinceEnd(opened, world.signal) : new Set<WorkspacePath>()
  for (const path of paths) {
    const file = await fileBetween(opened, path, from, to, world.signal)
    if (file === 'folder') continue
    if (!file) unknown.push(path)
    const text = file ? formatPatch([file], { deflate: deflateSync, sha1 }) : ''
    if (text === '') continue
    patches.push(text)
    if (since.has(path) || (await hasTyping(opened.review.contents.now(), path, from, to, world.signal))) withTyping.push(path)
  }
  const patch = patches.join('')
  // As bytes: a patch is applied as it is.
  world.out(line.flag('json') ? asJson({ patch, unknown, withTyping }) : Buffer.from(patch))
  for (const path of unknown) world.note(`${plain(path)}: not in the patch, its content is not known at one of the two moments.\n`)
  for (const path of withTyping) world.note(`${plain(path)}: contains your own changes, beside those of the agent.\n`)
  return unknown.length > 0 ? 1 : 0
}

/** What differs on the disk from what the agent left last. */
async function typedSinceEnd({ recorded, review }: Opened, signal: AbortSignal): Promise<ReadonlySet<WorkspacePath>> {
  const last = recorded.turns.at(-1)
  return new Set(last ? (await review.list({ kind: 'by-user', after: last.promptId }, { signal })).map(({ path }) => path) : [])
}

/** Both sides of a path; `null` where one of them is not known, `folder` for what a patch has no form for: a folder that came or went. */
async function fileBetween({ review }: Opened, path: WorkspacePath, from: Moment, to: Moment, signal: AbortSignal): Promise<PatchFile | 'folder' | null> {
  const before = (await review.contentAt(from, path, signal)).content
  const after = (await review.contentAt(to, path, signal)).content
  if ([before, after].every(({ state: { kind } }) => kind === 'folder' || kind === 'absent') && (before.state.kind === 'folder' || after.state.kind === 'folder')) return 'folder'
  const sides = [await patchSide(path, before, after, signal), await patchSide(path, after, before, signal)]
  const [one, two] = sides
  return one === undefined || two === undefined ? null : { before: one, after: two }
}

/** One side; `null` for an absent file, `undefined` for an unknown one. A mode that no record tells is the other side's. */
async function patchSide(path: WorkspacePath, content: KnownContent, other: KnownContent, signal: AbortSignal): Promise<PatchSide | null | undefined> {
  const { state } = content
  switch (state.kind) {
    case 'absent':
      return null
    case 'link':
      return { path, mode: '120000', bytes: Buffer.from(state.target), text: state.target }
    case 'file': {
      const mode = state.mode ?? (other.state.kind === 'file' ? other.state.mode : null) ?? 0o644
      const bytes = await content.read(signal)
      return { path, mode: (mode & 0o100) === 0 ? '100644' : '100755', bytes, text: textOf(bytes) }
    }
    case 'folder':
    case 'unknown':
      return undefined
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

const sha1 = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')
