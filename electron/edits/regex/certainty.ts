import { decline } from '../decline.js'
import { isMember, wordChars, type CharSet } from './char-set.js'
import { childrenOf, fixedLength, isChoice, isNullable, isPlace, someTree, type RegexTree } from './regex-tree.js'

/**
 * Declines patterns in which GNU sed 4.9 (its C library's matcher) leaves the simple rule: the longest of the leftmost
 * matches, and inside it each group as a greedy walk finds it. `usesGroups`: the replacement holds \1 to \9.
 */
export function assertCertain(tree: RegexTree, usesGroups: boolean): void {
  if (someTree(tree, (part) => part.kind === 'repeat' && someTree(part.body, isPlace))) {
    // -E 's/(^b|a+b)+/X/' leaves abbba as it is.
    decline('the pattern repeats a group with an anchor')
  }
  if (someTree(tree, (part) => part.kind === 'group')) walkPlaces(tree, new Set())
  if (usesGroups) assertGroupsCertain(tree)
}

/**
 * Declines `\>` where both a character of a word and another one can stand before it. With a group in the pattern the
 * matcher of the C library then keeps a state that forgot what it passed, and finds word ends where there are none: after
 * a line `c`, `-E 's/([-c]?[-c])\>/X/'` matches in a line `--`.
 * `before` and the answer: the sets of which one character can stand before and after the part.
 */
function walkPlaces(tree: RegexTree, before: ReadonlySet<CharSet>): ReadonlySet<CharSet> {
  switch (tree.kind) {
    case 'empty':
      return before
    case 'char':
      return new Set([tree.set])
    case 'place':
      if (
        tree.place === 'wordEnd' &&
        [true, false].every((isWord) => [...before].some((set) => canHold(set, isWord)))
      ) {
        decline('a \\> in the pattern is not certain beside a group')
      }
      return before
    case 'group':
      return walkPlaces(tree.body, before)
    case 'sequence':
      return tree.parts.reduce((sets, part) => walkPlaces(part, sets), before)
    case 'choice':
      return new Set([...walkPlaces(tree.first, before), ...walkPlaces(tree.second, before)])
    case 'repeat':
      // Places do not occur in repetitions, so that the body need not be walked again with its own end before it.
      return new Set([...walkPlaces(tree.body, before), ...(tree.min === 0 ? before : [])])
  }
}

/** Whether the set can hold a character of a word (`isWord`) or another one. */
function canHold(set: CharSet, isWord: boolean): boolean {
  const beyondAscii = [...set.singles].filter((char) => char >= 0x80)
  if (beyondAscii.length > 0) return true
  return Array.from({ length: 0x80 }, (_, char) => char).some(
    (char) => isMember(set, char, { kind: 'bytes' }) && isMember(wordChars, char, { kind: 'bytes' }) === isWord,
  )
}

function assertGroupsCertain(tree: RegexTree): void {
  if (someTree(tree, (part) => part.kind === 'repeat' && isNullable(part.body))) {
    decline('a group cannot be told beside a repetition of something that can be empty')
  }
  if (isGuarded(tree)) return
  const hasPlace = someTree(tree, isPlace)
  const hasPlaceInGroup = someTree(tree, (part) => part.kind === 'group' && someTree(part.body, isPlace))
  if ((hasPlace && isChoice(tree)) || (hasPlaceInGroup && someTree(tree, isChoice))) {
    decline('a group cannot be told beside an anchor and alternatives')
  }
  const parts = flatten(tree)
  const isOddPlace = parts.some(
    (part, index) =>
      isPlace(part) &&
      parts.slice(0, index).some((before) => !isPlace(before)) &&
      parts.slice(index + 1).some((after) => !isPlace(after)) &&
      parts.slice(index + 1).every(isNullable),
  )
  if (isOddPlace) decline('a group cannot be told where only optional parts follow an anchor')
}

/**
 * Whether all places are in a first part `(^|x)` and a last part `(x|$)`: then the groups are certain, although both are
 * alternatives with an anchor. Before `(x|$)` the length must be fixed.
 */
function isGuarded(tree: RegexTree): boolean {
  if (tree.kind !== 'sequence') return false
  const hasStart = isGuard(tree.parts[0], 'spaceStart')
  const hasEnd = isGuard(tree.parts.at(-1), 'spaceEnd')
  const middle: RegexTree = { kind: 'sequence', parts: tree.parts.slice(hasStart ? 1 : 0, hasEnd ? -1 : undefined) }
  return !someTree(middle, isPlace) && !isNullable(middle) && (!hasEnd || fixedLength(middle) !== null)
}

function isGuard(part: RegexTree | undefined, place: 'spaceStart' | 'spaceEnd'): boolean {
  if (part?.kind !== 'group' || part.body.kind !== 'choice') return false
  const { first, second } = part.body
  const isEdge = (tree: RegexTree): boolean => tree.kind === 'place' && tree.place === place
  return (isEdge(first) && second.kind === 'char') || (place === 'spaceEnd' && isEdge(second) && first.kind === 'char')
}

/** The parts of a sequence, groups opened. */
function flatten(tree: RegexTree): readonly RegexTree[] {
  return tree.kind === 'sequence' || tree.kind === 'group' ? childrenOf(tree).flatMap(flatten) : [tree]
}
