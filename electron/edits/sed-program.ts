import type { SedLocale } from './locale.js'
import { Alphabet } from './regex/alphabet.js'
import { buildAutomaton } from './regex/automaton.js'
import type { Budget } from './regex/budget.js'
import { assertCertain } from './regex/certainty.js'
import { Matcher } from './regex/matcher.js'
import { parseRegex } from './regex/regex-parser.js'
import { isTiedTo, requiredRun, someTree, type RegexTree } from './regex/regex-tree.js'
import { readReplacement, type ReplacementPart } from './replacement.js'
import type { RecognisedSed } from './sed-command.js'
import type { Substitution } from './sed-script.js'

/** One `s` command, ready to run. */
export interface SedStep {
  readonly substitution: Substitution
  readonly tree: RegexTree
  readonly replacement: readonly ReplacementPart[]
  /** Whether the replacement needs more than the whole match. */
  readonly usesGroups: boolean
  /** Bytes that every match holds; empty where there are none. */
  readonly required: Uint8Array
  readonly isTiedToStart: boolean
  createMatcher(budget: Budget): Matcher
}

/** Declines what cannot be simulated exactly in this locale. */
export function compile(parsed: RecognisedSed, locale: SedLocale): readonly SedStep[] {
  return [parsed, ...parsed.followedBy].map((substitution) => compileStep(substitution, parsed.extended, locale))
}

function compileStep(substitution: Substitution, extended: boolean, locale: SedLocale): SedStep {
  const { tree, groupCount } = parseRegex(substitution.pattern, { extended, delimiter: substitution.delimiter, locale })
  const replacement = readReplacement(substitution, groupCount)
  const usesGroups = replacement.some((part) => part.kind === 'group' && part.number > 0)
  assertCertain(tree, usesGroups)
  const automaton = buildAutomaton(tree, groupCount)
  const looksAtWords = someTree(tree, (part) => part.kind === 'place' && part.place.startsWith('word'))
  const ties = { toStart: isTiedTo('spaceStart', tree), toEnd: isTiedTo('spaceEnd', tree) }
  return {
    substitution,
    tree,
    replacement,
    usesGroups,
    required: Buffer.from(String.fromCodePoint(...requiredRun(tree)), locale.kind === 'utf8' ? 'utf8' : 'latin1'),
    isTiedToStart: ties.toStart,
    createMatcher: (budget) => new Matcher(automaton, new Alphabet(automaton.sets, looksAtWords, locale), ties, budget),
  }
}
