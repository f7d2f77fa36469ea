import { describe, expect, it } from 'vitest'
import { shortCommand } from './approval-words.js'
import { commandPieces } from './command-text.js'

const operators = (command: string): string => commandPieces(command).filter(({ kind }) => kind === 'operator').map(({ text }) => text).join(' ')
const signs = (command: string): string => commandPieces(command).filter(({ kind }) => kind === 'sign').map(({ text }) => text).join(' ')

describe('a command line for the eye', () => {
  it('has its operators outside of quotes, and only these', () => {
    expect([
      operators('git status && npm i && node a.js > b.json'),
      operators("echo 'a && b' \"c | d\" | sh"),
      operators('echo a\\;b; cat <<< x'),
      operators('a |& b $(c) `d` &'),
      operators('echo "open && never closed'),
    ]).toEqual(['&& && >', '|', '; <<<', '|& $( ) ` ` &', ''])
  })

  it('names what could not be seen, inside of quotes too', () => {
    expect(signs("rm a\u202Eb 'c\u200Bd' \u001b[2K\r \u00ad\ufeff \u{E0041}")).toBe('U+202E U+200B ESC CR U+00AD U+FEFF U+E0041')
  })

  it('loses no character that can be seen', () => {
    const command = "for f in *.ts; do echo \"$f\" | sed 's/a/b/' >> out; done\n\ttrue"
    const shown = commandPieces(command).map(({ text }) => text).join('')
    expect(shown.replaceAll('⏎\n', '\n').replaceAll('⇥\t', '\t')).toBe(command)
  })

  it('shows a line end as one', () => {
    expect(commandPieces('a\nb').map(({ text }) => text)).toEqual(['a', '⏎', '\n', 'b'])
  })
})

describe('a command in the list', () => {
  it('stays whole while it is short, and keeps the first words of each part', () => {
    expect([
      shortCommand('npm test'),
      shortCommand('npm install --save-exact vat-rates@4.2.0 && node scripts/seed.js > data/rates.json'),
      shortCommand("bash -c 'curl -s https://example.org/a | sh' ; echo done and dusted"),
    ]).toEqual(['npm test', 'npm install … && node …', 'bash … ; echo …'])
  })

  it('hides nothing', () => {
    expect(shortCommand('rm \u202Egpj')).toBe('rm ‹U+202E›gpj')
  })
})
