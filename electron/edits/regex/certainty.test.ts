import { describe, expect, it } from 'vitest'
import { recognise } from '../sed-command.js'

/** Patterns in which GNU sed 4.9 was seen to differ from the rule, or that it refuses; `-E`, replacement `[\1]`. */
function reasonFor(script: string): string {
  const found = recognise(`sed -i -E '${script}' f`)
  return found.simulated ? 'simulated' : found.reason
}

describe('patterns that are not certain', () => {
  it.each([
    ['s/(^b|a+b)+/X/', 'the pattern repeats a group with an anchor'],
    ['s/(a*)*/[\\1]/', 'a group cannot be told beside a repetition of something that can be empty'],
    ['s/a?\\>|(.)/[\\1]/', 'a group cannot be told beside an anchor and alternatives'],
    ['s/\\W*[ab]*(--*|\\b)/[\\1]/', 'a group cannot be told beside an anchor and alternatives'],
    ['s/.*\\b(a)?/[\\1]/', 'a group cannot be told where only optional parts follow an anchor'],
    ['s/([-c]?[-c])\\>/X/', 'a \\> in the pattern is not certain beside a group'],
    ['s/b*b.($|b)/[\\1]/', 'a group cannot be told beside an anchor and alternatives'],
    ['s/(a|^).(.|$)/[\\1]/', 'a group cannot be told beside an anchor and alternatives'],
    ['s/b*\\B/X/g', 'the pattern has the escape \\B'],
    ['s/a**/X/', 'the pattern has two repetitions in a row'],
    ['s/a{0}/X/', 'the pattern repeats something no times'],
    ['s/a{2,1}/X/', 'the pattern repeats something no times'],
    ['s/a{256}/X/', 'the pattern repeats something very often'],
    [`s/${'a|'.repeat(1500)}b/X/`, 'the pattern is very long'],
    ['s/((a{99}){99}){9}/X/', 'the pattern is very long'],
    ['s/{$/X/', 'a repetition in the pattern has nothing to repeat'],
    ['s/a{x}/X/', 'a count in the pattern is not certain'],
    ['s/^*/X/', 'the pattern repeats a place'],
    ['s/a)/X/', 'the pattern closes a group that is not open'],
    ['s/(a/X/', 'a group in the pattern is not closed'],
    ['s/(a)\\1/X/', 'the pattern has the escape \\1'],
    ['s/\\d065/X/', 'the pattern has the escape \\d'],
    ['s/\\`a/X/', 'the pattern has the escape \\`'],
    ['s/[a/X/', 'a bracket in the pattern is not closed'],
    ['s/[[.a.]]/X/', 'the pattern has a class or a symbol of collation that is not certain'],
    ['s/[[:alphx:]]/X/', 'the pattern has a class or a symbol of collation that is not certain'],
    ['s/[:space:]/X/', 'a class stands in single brackets'],
    ['s/[a-c-e]/X/', 'a dash in brackets is not certain'],
    ['s/[c-a]/X/', 'a range in brackets is backwards'],
    ['s/[à-ü]/X/', 'a range in brackets is not certain'],
    ['s/[\\x41]/X/', 'the pattern has the escape \\x in brackets'],
    ['s|a\\|b|X|', 'the delimiter of s is escaped and special'],
    ['s/[\\/][\\]]/X/', 'an escaped delimiter in brackets is not certain'],
  ])('%s is declined', (script, reason) => {
    expect(reasonFor(script)).toBe(reason)
  })

  it.each([
    ['s/(^|[^a-z])foo([^a-z]|$)/\\1bar\\2/g'],
    ['s/(^|,)a/\\1X/g'],
    ['s/\\b(get|set)User\\b/\\1Account/g'],
    ['s/^(.*)=(.*)$/\\2=\\1/'],
    ['s/\\<(\\w+)\\>/[\\1]/'],
    ['s/(a*)*/X/'],
    [`s/${'(a?|b?)'.repeat(40)}/X/`],
    ['s/[[:alpha:]_][^]a-]*/X/'],
    ['s/[]^-]/X/'],
  ])('%s is simulated', (script) => {
    expect(reasonFor(script)).toBe('simulated')
  })
})
