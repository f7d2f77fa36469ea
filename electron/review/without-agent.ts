import { ReviewError } from '../../shared/errors.js'
import type { KnownContent } from '../history/content.js'
import { mergeBytes } from '../history/three-texts.js'
import { displayLimitBytes } from '../workspace/text-decoding.js'
import { isKnown, isSameContent, ofBytes, withMode, type Held } from './held.js'

/** One change of a path by somebody other than the agent. */
export interface OthersChange {
  readonly before: Held
  readonly after: Held
}

/** What a path would be had the agent left it alone since a moment. */
export interface WithoutAgent {
  /** As it was then, with what others changed since; up to the first of their changes that does not fit. */
  readonly held: Held
  /** What that first change was made to; `null` where all of them fit. */
  readonly clash: Held | null
}

/** Puts what others changed, in its order, onto what stood there at first. */
export async function withoutAgent(first: Held, changes: readonly OthersChange[]): Promise<WithoutAgent> {
  let held = first
  for (const { before, after } of changes) {
    const next = await carriedOver(held, before, after)
    if (!next) return { held: present(held, first), clash: before }
    held = next
  }
  return { held: present(held, first), clash: null }
}

/** A change by somebody other than the agent: typed, or made by an operation of ours. */
export interface TypedOrOurs extends OthersChange {
  readonly isOurs: boolean
}

/**
 * What was typed and not given up again, in its order: an operation of ours may leave typing out because a person chose the older
 * text, and bring it back when it is undone.
 */
export async function typedAtLast(changes: readonly TypedOrOurs[]): Promise<readonly OthersChange[]> {
  let typed: readonly { readonly change: OthersChange; readonly isKept: boolean }[] = []
  for (const change of changes) {
    if (!change.isOurs) {
      typed = [...typed, { change, isKept: true }]
      continue
    }
    const seen = await Promise.all(typed.map(async (each) => ({ ...each, was: await isIn(each.change, change.before), is: await isIn(each.change, change.after) })))
    const next: { change: OthersChange; isKept: boolean; isMoved: boolean }[] = []
    for (const { change: each, isKept, was, is } of seen.reverse()) {
      // What a later change by hand replaced goes and comes with that one.
      const over = was || is ? undefined : await findAsync(next, (later) => isReplaced(each, later.change))
      next.unshift({ change: each, isKept: is || (over?.isMoved ? over.isKept : isKept && !was), isMoved: over?.isMoved ?? was !== is })
    }
    typed = next
  }
  return typed.flatMap(({ change, isKept }) => (isKept ? [change] : []))
}

async function isReplaced(change: OthersChange, { before, after }: OthersChange): Promise<boolean> {
  return (await isIn(change, before)) && !(await isIn(change, after))
}

async function findAsync<Item>(items: readonly Item[], holds: (item: Item) => Promise<boolean>): Promise<Item | undefined> {
  for (const item of items) if (await holds(item)) return item
  return undefined
}

/** Whether a content has a change already: to make it there alters nothing. */
async function isIn({ before, after }: OthersChange, held: Held): Promise<boolean> {
  const made = await carriedOver(held, before, after)
  return made !== null && isSameContent(made.content, held.content)
}

/** What somebody deleted and the agent made anew: bringing it back takes nothing from anyone. */
function present(held: Held, first: Held): Held {
  return held.content.state.kind === 'absent' ? first : held
}

/** What somebody else changed, made on a content; `null` where it does not fit. */
export async function carriedOver(held: Held, before: Held, after: Held): Promise<Held | null> {
  if (!isKnown(held) || !isKnown(after)) return null
  if (isSameContent(held.content, before.content)) return withModeOf(after, before, held)
  if (isSameContent(held.content, after.content) || isSameContent(before.content, after.content)) return withModeOf(held, before, after)
  const [base, disk, target] = [before.content, after.content, held.content]
  if (base.state.kind !== 'file' || disk.state.kind !== 'file' || target.state.kind !== 'file') return null
  if (Math.max(base.state.sizeBytes, disk.state.sizeBytes, target.state.sizeBytes) > displayLimitBytes) return null
  const baseBytes = await bytesOf(base)
  const merged = baseBytes && mergeBytes({ base: baseBytes, disk: await bytesOf(disk), target: await bytesOf(target) })
  if (merged?.kind !== 'merged' || merged.conflicts.length > 0) return null
  const { bytes } = merged
  const mode = disk.state.mode === base.state.mode ? target.state.mode : disk.state.mode
  return ofBytes(bytes, mode, 'backup', () => Promise.resolve(bytes))
}

/** `null` where they are gone or damaged. */
async function bytesOf(content: KnownContent): Promise<Uint8Array | null> {
  try {
    return await content.read()
  } catch (thrown) {
    if (thrown instanceof ReviewError) return null
    throw thrown
  }
}

/** The content with the other's mode, where that differs from what it was before. */
function withModeOf(held: Held, before: Held, other: Held): Held {
  const [then, now] = [before.content.state, other.content.state]
  return then.kind === 'file' && now.kind === 'file' && then.mode !== now.mode ? withMode(held, now.mode) : held
}
