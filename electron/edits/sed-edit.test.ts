import { describe, expect, it } from 'vitest'
import { recognise } from './sed-command.js'
import { apply } from './sed-edit.js'

function edit(options: string, before: string | Uint8Array, locale = 'C.UTF-8'): string {
  const recognised = recognise(`sed -i ${options} f`)
  if (!recognised.simulated) return `not recognised: ${recognised.reason}`
  const result = apply(typeof before === 'string' ? Buffer.from(before, 'utf8') : before, recognised, { locale })
  return result.kind === 'edited' ? Buffer.from(result.bytes).toString('utf8') : `declined: ${result.reason}`
}

describe('apply', () => {
  it.each([
    ['takes the longest alternative', "-E 's/a|ab|abc/X/'", 'abcd\n', 'Xd\n'],
    ['takes the longest match over optional parts', "-E 's/a?(ab)?/X/'", 'ab\n', 'X\n'],
    [
      'finds groups greedily inside the longest match',
      "-E 's/(foo|foobar)(bar)?/<\\1,\\2>/'",
      'foobar\n',
      '<foo,bar>\n',
    ],
    [
      'decides how many optional copies there are before what they hold',
      "-E 's/(a|ab|b){0,2}/<\\1>/'",
      'abb\n',
      '<b>\n',
    ],
    ['keeps the value of a group from an earlier round', "-E 's/((a)|b)*/<\\2>/'", 'ab\n', '<a>\n'],
    ['tries an empty first branch last', "-E 's/(|b)b*/<\\1>/'", 'bb\n', '<b>\n'],
    ['skips an empty match after a match', "'s/a*/x/g'", 'baaac\n', 'xbxcx\n'],
    ['counts matches', "'s/a/b/2g'", 'aXaXa\n', 'aXbXb\n'],
    ['replaces the numbered match alone', "'s/X/-/2'", 'aXbXc\n', 'aXb-c\n'],
    ['keeps $1 and takes \\& as text', "-E 's/(a)(b)/\\2$1[\\&]/'", 'ab\n', 'b$1[&]\n'],
    ['reads basic patterns', "'s/a+b\\(c\\|d\\)*/Z/'", 'a+bcd\n', 'Z\n'],
    ['takes a leading star as a character', "'s/^*a/X/'", '*a\n', 'X\n'],
    ['lets an anchor in the middle of a basic pattern be text', "'s/a^b$c/X/'", 'a^b$c\n', 'X\n'],
    ['lets an anchor in the middle of an extended pattern match nothing', "-E 's/a^b/X/'", 'a^b\n', 'a^b\n'],
    ['keeps a byte order mark as the first character', "'s/^using/X/;s/^./Y/'", '\ufeffusing\n', 'Yusing\n'],
    ['keeps CRLF and mixed line ends', "'s/a$/b/;s/b/c/'", 'a\r\nb\r\na\n', 'a\r\nc\r\nc\n'],
    ['turns CRLF into LF', "'s/\\r$//'", 'a\r\n\r\nb\n', 'a\n\nb\n'],
    ['keeps a missing last newline', "'s/$/;/'", 'a\nb', 'a;\nb;'],
    ['has no line in an empty file', "'s/$/;/'", '', ''],
    ['never finds a newline', "'s/\\n/X/g;s/a\\nb/X/'", 'a\nb\n', 'a\nb\n'],
    [
      'goes on with the text that an earlier command made',
      "-e 's/ /\\n/' -e 's/^.*$/[&]/' -e 's/\\n/+/'",
      'a b\nc\n',
      '[a+b]\n[c]\n',
    ],
    ['takes one character, not one byte', "'s/./X/g'", 'é😀日\n', 'XXX\n'],
    ['knows letters beyond ASCII', "'s/\\bfoo\\b/x/;s/[[:upper:]]/U/g'", 'éfoo Éfoo foo\n', 'éfoo Ufoo x\n'],
    ['does not put é between a and z', "'s/[a-z]/X/g'", 'aé\n', 'Xé\n'],
    ['keeps the backslash of an escaped delimiter in brackets', "'s/[\\/]/X/g'", 'a/\\b\n', 'aXXb\n'],
    ['splits a delimiter in brackets', "'s,[^\\,]*$,X,'", 'a,b\n', 'a,X\n'],
    ['edits before a non-ASCII character', "'s/^/# /'", 'é\n', '# é\n'],
  ])('%s', (_, options, before, after) => {
    expect(edit(options, before)).toBe(after)
  })

  it.each([
    [
      'an empty match before a character that is not ASCII',
      "'s/a*/x/g'",
      'é\n',
      'an empty match is followed by a character that is not ASCII',
    ],
    ['text that is not UTF-8', "'s/a/b/'", Buffer.from([0x61, 0xff, 0x0a]), 'the file is not UTF-8'],
    ['a NUL', "'s/a/b/'", 'a\0\n', 'the file is binary'],
    [
      'a rare character in a class',
      "'s/\\w/b/'",
      '\u0363\n',
      'whether \u0363 is in [:alnum:] depends on the version of the C library',
    ],
  ])('declines %s', (_, options, before, reason) => {
    expect(edit(options, before)).toBe(`declined: ${reason}`)
  })

  it('works on bytes in the C locale', () => {
    const after = apply(Buffer.from([0xff, 0xc3, 0xa9, 0x0a]), recognised("sed -i 's/./X/g' f"), { locale: 'C' })
    expect(after).toEqual({ kind: 'edited', bytes: new Uint8Array(Buffer.from('XXX\n')), lineCount: 1 })
  })

  it('declines other locales, and ranges that depend on a language', () => {
    expect([
      edit("'s/a/b/'", 'a', 'de_DE'),
      edit("'s/[a-z]/b/'", 'aé', 'de_DE.UTF-8'),
      edit("'s/[a-z]/b/'", 'a', 'de_DE.UTF-8'),
    ]).toEqual([
      'declined: the locale de_DE is neither C nor UTF-8',
      'declined: whether a range holds é depends on the language',
      'b',
    ])
  })

  it('tells how many lines have a match', () => {
    const counts = ["'s/a/b/'", "'s/z/y/'", "'s/a/a/'"].map((script) => {
      const result = apply(Buffer.from('a\nb\na\n'), recognised(`sed -i ${script} f`), { locale: 'C.UTF-8' })
      return result.kind === 'edited' ? result.lineCount : result.reason
    })
    expect(counts).toEqual([2, 0, 2])
  })

  it.each([
    ["'(a+)+b'", "-E 's/(a+)+b/X/'"],
    ["'(.*)(.*)(.*)(.*)x'", "-E 's/(.*)(.*)(.*)(.*)x/X/'"],
    ["'(a?){30}a{30}'", "-E 's/(a?){30}a{30}b/X/'"],
  ])('is linear for %s', (_, options) => {
    const line = `${'a'.repeat(200_000)}\n`
    expect(edit(options, line)).toBe(line)
  })

  it('declines a pattern that is slow on a file, after a bounded number of steps', () => {
    expect(edit("-E 's/a*b|a/x/g'", 'a'.repeat(50_000))).toBe('declined: the pattern takes too long on this file')
  })
})

function recognised(command: string) {
  const found = recognise(command)
  if (!found.simulated) throw new Error(found.reason)
  return found
}
