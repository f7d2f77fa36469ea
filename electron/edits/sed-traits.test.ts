import { describe, expect, it } from 'vitest'
import { recognise, type RecognisedSed } from './sed-command.js'
import { apply } from './sed-edit.js'
import { changesNothing, keepsLineEnds, leftNoTrace } from './sed-traits.js'

function parsed(command: string): RecognisedSed {
  const recognised = recognise(command)
  if (!recognised.simulated) throw new Error(`${command}: ${recognised.reason}`)
  return recognised
}

describe('changesNothing', () => {
  it.each([["'s/x/x/'"], ["'s#a b#a b#g'"], ["'s/a\\.b/a.b/'"], ["'s/.*/&/'"], ["-E 's/(a|b)/&/g'"], ["'s/a/a/;s/b/&/2'"], ["'s/é/é/'"]])('holds for %s', (script) => {
    expect(changesNothing(parsed(`sed -i ${script} f`))).toBe(true)
  })

  it.each([["'s/x/y/'"], ["'s/x/&&/'"], ["'s/x//'"], ["'s/a.b/a.b/'"], ["'s/x/x/;s/y/z/'"], ["'s/^x/x/'"], ["'' 's/x/x/'"]])('does not hold for %s', (script) => {
    expect(changesNothing(parsed(`sed -i ${script} f`))).toBe(false)
  })
})

describe('leftNoTrace', () => {
  it.each([
    ["'s/a/b/'", 'xx a\n', true],
    ["'s/a/b/'", 'xx ab\n', false],
    ["'s/a//'", 'xx\n', false],
    ["'s/a/&&/'", 'xx\n', false],
    ["'s/a/<&>/'", 'x >\n', true],
    ["'s/a/b/;s/c/d/'", 'x\n', true],
    ["'s/a/b/;s/c/d/'", 'x b\n', false],
    ["'s/;/;\\n/'", 'x;y\n', true],
    ["'' 's/a/b/'", 'xx\n', false],
  ])('of %s behind %j is %s', (script, after, expected) => {
    expect(leftNoTrace(parsed(`sed -i ${script} f`), Buffer.from(after))).toBe(expected)
  })
})

describe('keepsLineEnds', () => {
  const yes = ["'s/foo/bar/'", "'s/^foo/bar/g'", "-E 's/[0-9]+x?/n/2'", "'s/a b/c/'", "'s/\\bfoo\\b/bar/'", "-E 's/(a|b)c*/x/;s/x/y/'", "'s/=\\s*1/= 1/'"]
  const no = ["'s/foo$/bar/'", "'s/foo.*/bar/'", "'s/foo /bar/'", "'s/a*/x/'", "'s/[ \\t]*$//'", "'s/\\r//'", "'s/[^a]x/y/'", "-E 's/a( )?/b/'", "'s/a/\ufeff/'", "'s/foo/bar/;s/ $//'"]

  it.each(yes)('holds for %s', (script) => {
    expect(keepsLineEnds(parsed(`sed -i ${script} f`))).toBe(true)
  })

  it.each(no)('does not hold for %s', (script) => {
    expect(keepsLineEnds(parsed(`sed -i ${script} f`))).toBe(false)
  })

  it('means that the ends of lines come through as they are', () => {
    const lines = ['foo', 'foo bar', 'x = 1', 'a b', '12x foo', 'ac foo', '', '=  1']
    const ends = ['', ' ', '\t', '\r', ' \u00a0', '\u2028', '  \r']
    for (const script of yes) {
      const command = parsed(`sed -i ${script} f`)
      const after = (text: string): string => {
        const edit = apply(Buffer.from(text), command, { locale: 'C.UTF-8' })
        return edit.kind === 'edited' ? Buffer.from(edit.bytes).toString() : `declined: ${edit.reason}`
      }
      expect(lines.map((line) => ends.map((end) => after(`${line}${end}\n`)))).toEqual(lines.map((line) => ends.map((end) => `${after(line)}${end}\n`)))
      expect(after('\ufefffoo\n').startsWith('\ufeff')).toBe(true)
    }
  })
})
