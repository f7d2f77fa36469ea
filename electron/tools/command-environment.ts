// What of the person's environment a command sees.

import { delimiter, isAbsolute } from 'node:path'
import { isBelow, realOf } from './workspace-path.js'

/** Ours alone: tokens, folders and switches of the app and of the programs that it was started by. */
const dropped: readonly RegExp[] = [
  /^OVERTURN_/,
  /^ELECTRON_/,
  // A start file, or a function of the same name, would make an approved command mean something else.
  /^(BASH_ENV|ENV|PROMPT_COMMAND|OLDPWD)$/,
  /^BASH_FUNC_/,
  /^GIT_CONFIG_(COUNT|KEY_\d+|VALUE_\d+|PARAMETERS)$/,
  // Set by npm when it starts us; a package manager inside the command would take our folder for its own.
  /^(npm_(lifecycle_.*|package_.*|command|execpath|node_execpath|config_local_prefix)|INIT_CWD)$/,
]

/** No pager, editor, colour or question: there is no terminal, and whoever waits for one waits until the time limit. */
const fixed: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  // Takes the text that was prepared (of a merge, say) as it is; a commit without a message stops with a reason.
  GIT_EDITOR: 'true',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_TERMINAL_PROMPT: '0',
  DEBIAN_FRONTEND: 'noninteractive',
  // Files that an agent wrote could form a bare repository, whose settings name programs for git to run.
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.bareRepository',
  GIT_CONFIG_VALUE_0: 'explicit',
}

/**
 * The person's environment without what is ours, and with programs told that nobody sits at a terminal.
 *
 * Programs are not looked for in `workspace`: an agent that may write a file there could else give it the name of a command that
 * is allowed to run.
 */
export function commandEnvironment(environment: Readonly<Record<string, string | undefined>>, workspace: string): Record<string, string> {
  const kept = Object.entries(environment)
    .filter((entry): entry is [string, string] => entry[1] !== undefined && !dropped.some((name) => name.test(entry[0])))
    .map(([name, value]) => [name, /^path$/i.test(name) ? pathOutside(value, workspace) : value] as const)
  return { ...Object.fromEntries(kept), ...fixed }
}

function pathOutside(path: string, workspace: string): string {
  const root = realOf(workspace) ?? workspace
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isBelow(root, folder) && !isBelow(root, realOf(folder) ?? folder))
    .join(delimiter)
}
