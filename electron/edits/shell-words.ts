import { decline } from './decline.js'

export interface ShellWord {
  /** What the command gets, quotes taken off. */
  readonly text: string
  /** Without any quote or backslash in the command line. */
  readonly isPlain: boolean
}

/**
 * The words of one simple command, as bash and dash both read it.
 *
 * Declines everything else: operators, expansions, globs, comments, unfinished quotes, and all that an interactive shell
 * or another shell could read in another way. Blanks are space and tab only; a no-break space belongs to its word.
 */
export function readShellWords(command: string): readonly ShellWord[] {
  const line = command.replace(/^\n+|\n+$/g, '')
  if (/[\0\n]/.test(line)) decline('it has more than one line')
  if (/\p{Cs}/u.test(line)) decline('it has a broken character')
  const words: ShellWord[] = []
  let at = 0
  while (true) {
    while (line[at] === ' ' || line[at] === '\t') at++
    if (at === line.length) return words
    const word = readWord(line, at)
    words.push({ text: word.text, isPlain: word.text === line.slice(at, word.end) })
    at = word.end
  }
}

interface Piece {
  readonly text: string
  /** Index of the first character after it. */
  readonly end: number
}

function readWord(line: string, start: number): Piece {
  if ('#=!'.includes(line.charAt(start))) decline(`a word begins with ${line.charAt(start)}`)
  let text = ''
  let at = start
  while (at < line.length && line[at] !== ' ' && line[at] !== '\t') {
    const piece = readPiece(line, at)
    text += piece.text
    at = piece.end
  }
  return { text, end: at }
}

function readPiece(line: string, at: number): Piece {
  const char = line.charAt(at)
  if (char === "'") return readSingleQuoted(line, at + 1)
  if (char === '"') return readDoubleQuoted(line, at + 1)
  if (char === '\\') {
    if (at + 1 === line.length) decline('it ends with a backslash')
    return { text: line.charAt(at + 1), end: at + 2 }
  }
  if ('|&;<>()'.includes(char)) decline(`it has the shell operator ${char}`)
  if ('$`'.includes(char)) decline('the shell expands a part of it')
  if ('*?[]{}~'.includes(char)) decline(`it has an unquoted ${char}`)
  if ('!\r'.includes(char)) decline('it has an unquoted ! or carriage return')
  return { text: char, end: at + 1 }
}

function readSingleQuoted(line: string, start: number): Piece {
  const end = line.indexOf("'", start)
  if (end < 0) decline('a quote is not closed')
  return { text: line.slice(start, end), end: end + 1 }
}

/** What follows a `$` that the shell leaves alone inside double quotes. */
const plainDollar = /^\$[/|\\)'" ,:;.%&\]}\t]/

function readDoubleQuoted(line: string, start: number): Piece {
  let text = ''
  for (let at = start; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === '"') return { text, end: at + 1 }
    if (char === '`' || (char === '$' && !plainDollar.test(line.slice(at, at + 2)))) {
      decline('the shell expands a part of it')
    }
    if (char === '!') decline('it has a ! in double quotes')
    if (char === '\\' && '$`"\\'.includes(line.charAt(at + 1))) at++
    text += line.charAt(at)
  }
  return decline('a quote is not closed')
}
