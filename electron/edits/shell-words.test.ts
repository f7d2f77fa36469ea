import { describe, expect, it } from 'vitest'
import { orElse } from './decline.js'
import { readShellWords } from './shell-words.js'

function words(command: string): readonly string[] | string {
  return orElse<readonly string[] | string>(
    () => readShellWords(command).map((word) => word.text),
    (reason) => reason,
  )
}

describe('readShellWords', () => {
  it.each([
    ['a  b\tc ', ['a', 'b', 'c']],
    ['\n a \n', ['a']],
    ["'it'\\''s' x\"y\"z", ["it's", 'xyz']],
    ['a \'\' ""', ['a', '', '']],
    ['a\\ b \\#c \\$d', ['a b', '#c', '$d']],
    ['"a\\"b\\\\c\\$d\\`e\\n"', ['a"b\\c$d`e\\n']],
    ['"s/x$/y/" "x$"', ['s/x$/y/', 'x$']],
    ["'$x `y` * ~ ! {a,b} \\'", ['$x `y` * ~ ! {a,b} \\']],
    ['s#a#b# a=b', ['s#a#b#', 'a=b']],
    ['sed\u00a0-i é😀', ['sed\u00a0-i', 'é😀']],
  ])('splits %j', (command, expected) => {
    expect(words(command)).toEqual(expected)
  })

  it.each([
    ['a; b'],
    ['a & b'],
    ['a | b'],
    ['a > b'],
    ['a < b'],
    ['(a)'],
    ['a $b'],
    ['a `b`'],
    ['a *'],
    ['a ?'],
    ['a [b]'],
    ['a {b,c}'],
    ['a ~/b'],
    ['a #b'],
    ['a =b'],
    ['!a'],
    ['a b!'],
    ['"a!"'],
    ['"$b"'],
    ['"${b}"'],
    ['"$(b)"'],
    ['"$1"'],
    ['"$@"'],
    ['"$?"'],
    ['"`b`"'],
    ["$'a'"],
    ['$"a"'],
    ["'a"],
    ['"a'],
    ['a\\'],
    ['a\\\nb'],
    ['a\nb'],
    ['a\r'],
    ['a\0'],
    ['a\ud800'],
    ["'a\nb'"],
    ['"$#"'],
    ['"$-"'],
  ])('declines %j', (command) => {
    expect(words(command)).toBeTypeOf('string')
  })
})
