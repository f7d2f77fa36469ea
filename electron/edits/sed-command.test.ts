import { describe, expect, it } from 'vitest'
import { recognise } from './sed-command.js'

/** The command in short: `path E s/pattern/replacement/occurrence[g]; …`, or the reason. */
function read(command: string): string {
  const found = recognise(command)
  if (!found.simulated) return found.reason
  const scripts = [found, ...found.followedBy].map(({ delimiter, pattern, replacement, occurrence, global }) =>
    ['s', pattern, replacement, `${occurrence}${global ? 'g' : ''}`].join(delimiter),
  )
  return [found.path, ...(found.extended ? ['E'] : []), ...(found.isMacForm ? ['mac'] : []), scripts.join('; ')].join(
    ' ',
  )
}

describe('recognise', () => {
  it('answers the whole edit', () => {
    expect(recognise("sed -i -E 's/(foo|bar)/<\\1>/2g' src/a.ts")).toEqual({
      simulated: true,
      path: 'src/a.ts',
      extended: true,
      delimiter: '/',
      pattern: '(foo|bar)',
      replacement: '<\\1>',
      occurrence: 2,
      global: true,
      followedBy: [],
      isMacForm: false,
    })
  })

  it.each([
    ["sed -i 's/a/b/' f", 'f s/a/b/1'],
    ["sed -i -e 's/a/b/' f", 'f s/a/b/1'],
    ['sed -i -es/a/b/ f', 'f s/a/b/1'],
    ["sed -i --expression='s/a/b/' f", 'f s/a/b/1'],
    ["sed -i --expression 's/a/b/' f", 'f s/a/b/1'],
    ["sed --in-place --regexp-extended 's/a/b/' f", 'f E s/a/b/1'],
    ["sed --in-place= -r 's/a/b/' f", 'f E s/a/b/1'],
    ["sed -Ei 's/a/b/' f", 'f E s/a/b/1'],
    ["sed -i -Ee 's/a/b/' f", 'f E s/a/b/1'],
    ["sed 's/a/b/' f -i -E", 'f E s/a/b/1'],
    ["sed -i -- 's/a/b/' -f", '-f s/a/b/1'],
    ["sed -i'' 's/a/b/' f", 'f s/a/b/1'],
    ["sed -i 's|a/b|c|g3' f", 'f s|a/b|c|3g'],
    ['sed -i s,a,b, f', 'f s,a,b,1'],
    ["sed -i 's/a/b/g;s/c/d/' f", 'f s/a/b/1g; s/c/d/1'],
    ["sed -i 's/a/b/ ; s/c/d/;' f", 'f s/a/b/1; s/c/d/1'],
    ["sed -i -e 's/a/b/' -e 's/c/d/g' f", 'f s/a/b/1; s/c/d/1g'],
    ["sed -i 's/a;b/c/' f", 'f s/a;b/c/1'],
    ['sed -i "s/a>/b/" \'my file é.txt\'', 'my file é.txt s/a>/b/1'],
    ["sed -i '' 's/a/b/' f", 'f mac s/a/b/1'],
    ['sed -i "" -E -e \'s/a|b/c/g\' f', 'f E mac s/a|b/c/1g'],
  ])('takes %s', (command, expected) => {
    expect(read(command)).toBe(expected)
  })

  it.each([
    ["sed 's/a/b/' f", 'it does not edit in place'],
    ['sed -e"s/i/x/" f', 'it does not edit in place'],
    ["sed -i.bak 's/a/b/' f", 'it has the option -i.bak'],
    ["sed -iE 's/a/b/' f", 'it has the option -iE'],
    ["sed -ie 's/a/b/' f", 'it has the option -ie'],
    ["sed --in-place=.orig 's/a/b/' f", 'it has the option --in-place'],
    ["sed -n -i 's/a/b/' f", 'it has the option -n'],
    ["sed -i -z 's/a/b/' f", 'it has the option -z'],
    ["sed --in 's/a/b/' f", 'it has the option --in'],
    ["sed -i -e 's/(a)/b/' -E f", '-E comes after -e'],
    ['sed -i -e', '-e has no script'],
    ["sed -i 's/a/b/'", 'it names no file'],
    ["sed -i 's/a/b/' f g", 'it names several files'],
    ["sed -i 's/a/b/' -", 'it names no ordinary file'],
    ["sed -i 's/a/b/' folder/", 'it names no ordinary file'],
    ["sed -i '3s/a/b/' f", 'the script has an address or a command other than s'],
    ["sed -i '/a/d' f", 'the script has an address or a command other than s'],
    ["sed -i -e 's/a/b/' -e 'w out.txt' f", 'the script has an address or a command other than s'],
    ["sed -i 's/a/date/e' f", 's has a flag other than g and one number'],
    ["sed -i 's/a/b/w out' f", 's has a flag other than g and one number'],
    ["sed -i 's/a/b/I' f", 's has a flag other than g and one number'],
    ["sed -i 's/a/b/gg' f", 's has a flag other than g and one number'],
    ["sed -i 's/a/b/0' f", 's has a flag other than g and one number'],
    ["sed -i 's/a/b/2g3' f", 's has a flag other than g and one number'],
    ["sed -i 's/a/b/}' f", 's has a flag other than g and one number'],
    ["sed -i 's/a/b' f", 's is not finished'],
    ["sed -i 'sxaxbx' f", 'the delimiter of s is unusual'],
    ["sed -i 's/a/\\U&/' f", 'the replacement has the escape \\U'],
    ["sed -i 's/a/\\1/' f", 'the replacement refers to a group that the pattern does not have'],
    ["sed -i 's//b/' f", 'the pattern is empty'],
    ["sed -i '' 's/a/b/' -E f", 'an option comes after the script, which macOS refuses'],
    ["sed -i '' --expression='s/a/b/' f", '--expression=s/a/b/ is not known on macOS'],
    ["sed -i '' 's/a\\+/b/' f", 'the pattern means something else on macOS'],
    ["sed -i '' 's/[\\n]/b/' f", 'the pattern means something else on macOS'],
    ["sed -i '' 's/a/\\t/' f", 'the replacement means something else on macOS'],
    ["sed -i '' 's/a/b/2g' f", 'macOS refuses a number beside g'],
    ["sed -i '' -e 's/a/b/' -e 's/c/d/' f", 'the macOS form has several commands'],
  ])('leaves %s to the shell', (command, reason) => {
    expect(read(command)).toBe(reason)
  })
})
