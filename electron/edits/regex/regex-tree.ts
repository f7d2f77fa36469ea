import { onlyMember, type CharSet } from './char-set.js'

/** A condition between two characters, `^ $ \< \> \b`. */
export type Place = 'spaceStart' | 'spaceEnd' | 'wordStart' | 'wordEnd' | 'wordEdge'

/** A pattern as GNU sed understands it. */
export type RegexTree =
  | { readonly kind: 'empty' }
  | { readonly kind: 'char'; readonly set: CharSet }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'group'; readonly number: number; readonly body: RegexTree }
  | { readonly kind: 'sequence'; readonly parts: readonly RegexTree[] }
  | { readonly kind: 'choice'; readonly first: RegexTree; readonly second: RegexTree }
  | { readonly kind: 'repeat'; readonly body: RegexTree; readonly min: number; readonly max: number | null }

/** Whether `test` holds for the tree or any tree in it. */
export function someTree(tree: RegexTree, test: (tree: RegexTree) => boolean): boolean {
  return test(tree) || childrenOf(tree).some((child) => someTree(child, test))
}

export function childrenOf(tree: RegexTree): readonly RegexTree[] {
  switch (tree.kind) {
    case 'empty':
    case 'char':
    case 'place':
      return []
    case 'group':
    case 'repeat':
      return [tree.body]
    case 'sequence':
      return tree.parts
    case 'choice':
      return [tree.first, tree.second]
  }
}

export const isPlace = (tree: RegexTree): boolean => tree.kind === 'place'
export const isChoice = (tree: RegexTree): boolean => tree.kind === 'choice'

/** Whether it can match no character at all. */
export function isNullable(tree: RegexTree): boolean {
  switch (tree.kind) {
    case 'empty':
    case 'place':
      return true
    case 'char':
      return false
    case 'group':
      return isNullable(tree.body)
    case 'sequence':
      return tree.parts.every(isNullable)
    case 'choice':
      return isNullable(tree.first) || isNullable(tree.second)
    case 'repeat':
      return tree.min === 0 || isNullable(tree.body)
  }
}

/** The number of characters that every match has, or `null` where it varies. */
export function fixedLength(tree: RegexTree): number | null {
  switch (tree.kind) {
    case 'empty':
    case 'place':
      return 0
    case 'char':
      return 1
    case 'group':
      return fixedLength(tree.body)
    case 'sequence': {
      const lengths = tree.parts.map(fixedLength)
      return lengths.includes(null) ? null : lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0)
    }
    case 'choice': {
      const length = fixedLength(tree.first)
      return length === fixedLength(tree.second) ? length : null
    }
    case 'repeat': {
      const length = fixedLength(tree.body)
      return tree.min === tree.max && length !== null ? length * tree.min : null
    }
  }
}

/** Whether each match begins (`spaceStart`) or ends (`spaceEnd`) where the pattern space does. */
export function isTiedTo(place: 'spaceStart' | 'spaceEnd', tree: RegexTree): boolean {
  switch (tree.kind) {
    case 'place':
      return tree.place === place
    case 'group':
      return isTiedTo(place, tree.body)
    case 'sequence': {
      const edge = tree.parts.at(place === 'spaceStart' ? 0 : -1)
      return edge !== undefined && isTiedTo(place, edge)
    }
    case 'choice':
      return isTiedTo(place, tree.first) && isTiedTo(place, tree.second)
    default:
      return false
  }
}

/** The longest run of characters that every match holds; empty where there is none. */
export function requiredRun(tree: RegexTree): readonly number[] {
  const runs: number[][] = [[]]
  collectRuns(tree, runs)
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest))
}

/** Appends to the last run what goes on without a gap, and opens a new run after each gap. */
function collectRuns(tree: RegexTree, runs: number[][]): void {
  switch (tree.kind) {
    case 'empty':
    case 'place':
      return
    case 'char': {
      const char = onlyMember(tree.set)
      if (char === null) runs.push([])
      else runs.at(-1)?.push(char)
      return
    }
    case 'group':
      return collectRuns(tree.body, runs)
    case 'sequence':
      return tree.parts.forEach((part) => collectRuns(part, runs))
    case 'choice':
      runs.push([])
      return
    case 'repeat':
      if (tree.min > 0) collectRuns(tree.body, runs)
      runs.push([])
      return
  }
}
