import { orElse } from './decline.js'
import { readLocale, type SedLocale } from './locale.js'
import { isMember, onlyMember, type CharSet } from './regex/char-set.js'
import { isNullable, someTree, type RegexTree } from './regex/regex-tree.js'
import type { RecognisedSed } from './sed-command.js'
import { compile, type SedStep } from './sed-program.js'

// What a recognised command tells of files that nobody has seen, so that what was before it can be found out from what came out.
// In the macOS form nothing is without effect: that sed may end a last line that had no end.

/** Whether it leaves every file as it is, as `s/x/x/` and `s/x*y/&/` do. */
export function changesNothing(parsed: RecognisedSed): boolean {
  return !parsed.isMacForm && compile(parsed, locale).every((step) => {
    if (step.replacement.every((part) => part.kind === 'group' && part.number === 0)) return step.replacement.length === 1
    const text = literalText(step.tree)
    return text !== null && Buffer.concat(step.replacement.map((part) => (part.kind === 'bytes' ? part.bytes : text))).equals(text)
  })
}

/** Whether a file that holds `after` behind the command must have held the same before: what a replacement leaves is not in it. */
export function leftNoTrace(parsed: RecognisedSed, after: Uint8Array): boolean {
  if (parsed.isMacForm) return false
  const file = Buffer.from(after.buffer, after.byteOffset, after.byteLength)
  return compile(parsed, locale).every((step) => step.replacement.some((part) => part.kind === 'bytes' && file.indexOf(part.bytes) < 0))
}

/**
 * Whether it does the same to a line whatever blanks (CR among them) the line ends with, and keeps these; likewise a byte order
 * mark. Two files that differ in nothing else then differ afterwards as well.
 */
export function keepsLineEnds(parsed: RecognisedSed): boolean {
  return compile(parsed, locale).every((step) => !bringsMark(step) && !isNullable(step.tree) && !mayEndInBlank(step.tree) && !looksAtEnds(step.tree))
}

/** Of all locales the one in which most characters are told apart. */
const locale: SedLocale = readLocale('C.UTF-8')
const byteOrderMark = 0xfeff
/** What JavaScript's `trimEnd` takes away on a line. */
const blanks = [
  0x09, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f,
  0x3000, byteOrderMark,
]

function bringsMark(step: SedStep): boolean {
  return step.replacement.some((part) => part.kind === 'bytes' && Buffer.from(part.bytes).includes('\ufeff'))
}

/** Whether a match can depend on where the line ends, or reach over a byte order mark. */
function looksAtEnds(tree: RegexTree): boolean {
  return someTree(tree, (part) => (part.kind === 'place' && part.place === 'spaceEnd') || (part.kind === 'char' && mayHold(part.set, [byteOrderMark])))
}

/** Whether the last character of a match can be a blank; the tree matches at least one. */
function mayEndInBlank(tree: RegexTree): boolean {
  switch (tree.kind) {
    case 'empty':
    case 'place':
      return false
    case 'char':
      return mayHold(tree.set, blanks)
    case 'group':
    case 'repeat':
      return mayEndInBlank(tree.body)
    case 'choice':
      return mayEndInBlank(tree.first) || mayEndInBlank(tree.second)
    case 'sequence': {
      const lastSure = tree.parts.findLastIndex((part) => !isNullable(part))
      return tree.parts.slice(Math.max(0, lastSure)).some(mayEndInBlank)
    }
  }
}

function mayHold(set: CharSet, chars: readonly number[]): boolean {
  return chars.some((char) => orElse(() => isMember(set, char, locale), () => true))
}

/** The one text that the pattern matches, anywhere on a line; `null` where it can match others. */
function literalText(tree: RegexTree): Buffer | null {
  const parts = tree.kind === 'sequence' ? tree.parts : [tree]
  const chars = parts.map((part) => (part.kind === 'char' ? onlyMember(part.set) : null))
  return chars.some((char) => char === null) ? null : Buffer.from(String.fromCodePoint(...chars.flatMap((char) => (char === null ? [] : [char]))))
}
