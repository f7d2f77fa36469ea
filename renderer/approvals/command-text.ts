import { textPieces } from '../ui/visible-text.js'

/** A piece of a command line: plain, an operator of the shell, or a character that would not be seen. */
export interface CommandPiece {
  readonly text: string
  readonly kind: 'plain' | 'operator' | 'sign'
}

const operators = ['&&', '||', '|&', ';;', '<<<', '<<-', '<<', '>>', '>&', '<&', '&>', '>|', '$(', '<(', '>(', '|', ';', '&', '>', '<', '(', ')', '`'] as const

/** A command line cut for the eye: operators outside of quotes stand out, nothing hides. What runs is decided elsewhere. */
export function commandPieces(command: string): readonly CommandPiece[] {
  const pieces: CommandPiece[] = []
  let plain = ''
  const flush = (): void => {
    for (const { text, isSign } of textPieces(plain.replaceAll('\t', '⇥\t'))) pieces.push({ text, kind: isSign ? 'sign' : 'plain' })
    plain = ''
  }
  for (let at = 0; at < command.length; ) {
    const rest = command.slice(at, at + 3)
    const character = command[at] ?? ''
    if (character === '\\') {
      plain += command.slice(at, at + 2)
      at += 2
    } else if (character === "'" || character === '"') {
      const end = endOfQuote(command, at)
      plain += command.slice(at, end)
      at = end
    } else if (character === '\n') {
      flush()
      pieces.push({ text: '⏎', kind: 'operator' }, { text: '\n', kind: 'plain' })
      at++
    } else {
      const operator = operators.find((one) => rest.startsWith(one))
      if (operator) {
        flush()
        pieces.push({ text: operator, kind: 'operator' })
        at += operator.length
      } else {
        plain += character
        at++
      }
    }
  }
  flush()
  return pieces
}

/** Where a quoted text ends that begins at `start`; an open one runs to the end. */
function endOfQuote(command: string, start: number): number {
  const quote = command[start]
  for (let at = start + 1; at < command.length; at++) {
    if (quote === '"' && command[at] === '\\') at++
    else if (command[at] === quote) return at + 1
  }
  return command.length
}
