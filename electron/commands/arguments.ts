import { parseStrict } from '../base/strict-args.js'

/** A command line that cannot be understood: exit code 2, the sentence on standard error. */
export class UsageError extends Error {}

interface OptionSpec {
  readonly type: 'string' | 'boolean'
  readonly multiple?: boolean
}

/** Options that every command takes. */
const common = {
  'workspace': { type: 'string' },
  'sessions': { type: 'string', multiple: true },
  'json': { type: 'boolean' },
} as const satisfies Record<string, OptionSpec>

const specific = {
  sessions: {},
  show: {},
  files: { 'at': { type: 'string' } },
  cat: { 'at': { type: 'string' } },
  diff: { 'from': { type: 'string' }, 'to': { type: 'string' } },
  rewind: {
    'to': { type: 'string' },
    'path': { type: 'string', multiple: true },
    'dry-run': { type: 'boolean' },
    'on-conflict': { type: 'string' },
  },
  search: {
    'agent': { type: 'string', multiple: true },
    'kind': { type: 'string', multiple: true },
    'path': { type: 'string' },
    'since': { type: 'string' },
    'until': { type: 'string' },
    'limit': { type: 'string' },
  },
  why: {},
  undo: {},
  redo: {},
  'take-back': {
    'turn': { type: 'string' },
    'path': { type: 'string', multiple: true },
    'hunk': { type: 'string' },
    'dry-run': { type: 'boolean' },
  },
  export: { 'format': { type: 'string' }, 'to': { type: 'string' } },
} as const satisfies Record<string, Record<string, OptionSpec>>

/** How many words a command takes; `null` for any number. */
const mostWords: Readonly<Record<CommandName, number | null>> = {
  sessions: 0, show: 1, files: 1, cat: 2, diff: null, rewind: 1, undo: 1, redo: 1, 'take-back': 1, search: null, why: 1, export: 1,
}

export type CommandName = keyof typeof specific

export interface CommandLine {
  readonly name: CommandName
  /** What stands without a dash, after the command's name. */
  readonly words: readonly string[]
  readonly text: (option: string) => string | null
  readonly texts: (option: string) => readonly string[]
  readonly flag: (option: string) => boolean
}

export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(specific, word)
}

/**
 * Reads one command line (without node and script).
 * Errors: UsageError for an unknown command or option, an option without its value or given twice, and a word too many.
 */
export function readCommandLine(words: readonly string[]): CommandLine {
  const [name, ...rest] = words
  if (name === undefined || !isCommandName(name)) throw new UsageError(`There is no command "${name ?? ''}".`)
  const options: Record<string, OptionSpec> = { ...common, ...specific[name] }
  let parsed: { readonly values: Readonly<Record<string, unknown>>; readonly positionals: readonly string[] }
  try {
    parsed = parseStrict({ args: rest, options, allowPositionals: true, strict: true })
  } catch (thrown) {
    throw new UsageError(thrown instanceof Error ? thrown.message : String(thrown))
  }
  const most = mostWords[name]
  const stray = most === null ? undefined : parsed.positionals[most]
  if (stray !== undefined) throw new UsageError(`${name} takes no "${stray}".`)
  const value = (option: string): unknown => parsed.values[option]
  return {
    name,
    words: parsed.positionals,
    text: (option) => {
      const given = value(option)
      return typeof given === 'string' ? given : null
    },
    texts: (option) => {
      const given = value(option)
      return Array.isArray(given) ? given.filter((each) => typeof each === 'string') : []
    },
    flag: (option) => value(option) === true,
  }
}

export const usage = `overturn: see, take back and rewind what a coding agent changed

  overturn sessions                                   all sessions found on this computer
  overturn show <session>                             turns with their files and commands
  overturn files <session> --at <turn|end>            every known file as it was then
  overturn cat <session> <path> --at <turn|end>       the exact bytes of one file
  overturn diff <session> [--from <turn|start>] [--to <turn|end|disk>] [path…]
                                                      a patch that git apply accepts
  overturn rewind <session> --to <turn> [--path P]… [--dry-run] [--on-conflict merge|keep|old|abort]
  overturn undo <session>                             undo the last rewind or take-back
  overturn redo <session>                             redo what was undone last
  overturn take-back <session> --turn <turn> --path P --hunk K [--dry-run]
  overturn search <text> [--agent A]… [--kind prompt|reply|command|path|change]… [--path P] [--since DATE] [--until DATE] [--limit N]
                                                      finds a text in all sessions, newest first
  overturn why <file>:<line>                          the turn and prompt that wrote a line
  overturn export <session> --format qwen-code [--to DIR]
                                                      to go on with it there, its history included
  overturn mcp [--workspace DIR] [--mode ask|review-after|plan] [--continue | --session ID]
                                                      lets an agent work through Overturn (MCP on standard streams)
  overturn approvals [<id>] [--json] [--wait]         what agents want to do and wait for
  overturn approve <id> [--path P] [--hunks 1,3|none] [--content FILE] [--revision N] [--rest-of-turn] [--always] [--comment TEXT]
  overturn reject <id> [--reason TEXT]
  overturn serve [--port N] [--no-open]               the window in a browser on this computer
  overturn --version                                  the version, and nothing else (-V too)

Every command takes --json, --workspace DIR (the folder the session belongs to; sessions and search take only those of it) and --sessions DIR
(where else to look for logs); --data DIR before the command names another data folder. <session> is an id, the first letters of one (6 or more), or a log file, <turn> its number or its promptId,
or 3.2 for the moment after the second change in turn 3 where "show" numbers them: sessions that ran under us, of opencode and of Codex.
Exit codes: 0 done, 1 refused, partly failed or nothing found, 2 not understood or no such turn.
`
