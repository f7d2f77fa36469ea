import { ReviewError, toWireError } from '../../shared/errors.js'
import { isCommandName, readCommandLine, usage, UsageError, type CommandLine, type CommandName } from './arguments.js'
import { diff } from './diff.js'
import { exportSession } from './export.js'
import { cat, files } from './files.js'
import { redo, rewind, takeBack, undo } from './rewind.js'
import { search } from './search.js'
import { sessions } from './sessions.js'
import { show } from './show.js'
import { why } from './why.js'
import { asJson, visible } from './words.js'
import type { Command, CommandWorld, ExitCode } from './world.js'

const commands: Readonly<Record<CommandName, Command>> = { sessions, show, files, cat, diff, rewind, search, why, undo, redo, 'take-back': takeBack, export: exportSession }

export interface Terminal {
  readonly out: (text: string | Uint8Array) => void
  readonly note: (text: string) => void
}

/** Whatever a text was made of (a prompt, a name, an argument), the terminal shows it and obeys nothing. Bytes pass as they are. */
export function calm({ out, note }: Terminal): Terminal {
  return { out: (text) => out(typeof text === 'string' ? visible(text) : text), note: (text) => note(visible(text)) }
}

/** Runs one command line (without node and script). `openWorld` is called only for a command that is understood. */
export async function runCommandLine(
  words: readonly string[],
  rawTerminal: Terminal,
  openWorld: (line: CommandLine) => Promise<{ readonly world: CommandWorld; readonly close: () => Promise<void> }>,
): Promise<ExitCode> {
  const terminal = calm(rawTerminal)
  const [name = 'help'] = words
  if (name === 'help' || words.includes('--help') || words.includes('-h')) {
    terminal.out(usage)
    return 0
  }
  try {
    if (!isCommandName(name)) throw new UsageError(`There is no command "${name}".`)
    const line = readCommandLine(words)
    const { world, close } = await openWorld(line)
    try {
      return await commands[line.name](line, { ...world, ...terminal })
    } finally {
      await close()
    }
  } catch (thrown) {
    return refused(thrown, words, terminal)
  }
}

/** Says what a command failed of, as JSON too where that was asked for; returns its exit code. */
export function refused(thrown: unknown, words: readonly string[], terminal: Terminal): ExitCode {
  if (thrown instanceof UsageError) {
    terminal.note(`${thrown.message}\nTry "overturn help".\n`)
    return 2
  }
  const error = toWireError(thrown)
  if (words.includes('--json')) terminal.out(asJson({ error }))
  const files = error.details['files']
  const places = Array.isArray(files) ? files.map((file) => `  ${file}\n`).join('') : ''
  terminal.note(`${thrown instanceof ReviewError ? error.message : `${error.message} (${thrown instanceof Error ? thrown.message : 'unknown cause'})`}\n${places}`)
  // Like every other argument that means nothing: the turn was named by whoever wrote the line.
  return error.code === 'TURN_NOT_FOUND' ? 2 : 1
}
