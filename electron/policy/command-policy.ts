import { worseVerdict, type CommandJudgement, type CommandPart, type PolicySettings, type Sensitivity } from '../../shared/policy.js'
import { isKnownCommand } from './known-commands.js'
import { Scene } from './scene.js'
import { TooMuch, walkScript } from './script-walk.js'
import { partOf } from './simple-command.js'

/** Where and under which settings a command would run. */
export interface CommandContext {
  /** Real paths, absolute. */
  readonly workspaceRoot: string
  readonly directory: string
  readonly home: string
  readonly settings: PolicySettings
  /** The highest level of what the session has read so far. */
  readonly taint: Sensitivity
  readonly isPlanMode: boolean
  /** The branch that is checked out; `null` for none, or where it is not known. */
  readonly branch: string | null
  /** What runs the command. The policy reads the language of `bash` alone: what `cmd.exe` would run is always asked about. */
  readonly shell: 'bash' | 'cmd'
  /** Whether an absolute path inside the workspace leads out of it through a link; `anyName` stands for names that a pattern finds. */
  readonly leadsOutside: (path: string) => boolean
}

const maxLength = 65_536
const maxNesting = 200

/**
 * Judges a command line before it runs, part by part, by its text; the disk is asked about links alone.
 *
 * Promise: never throws; the same arguments give the same answer; nothing in the command can turn it. What cannot be parsed is
 * never allowed, what is too long or too deep to be judged is denied, and so is everything should the policy itself fail.
 */
export function judgeCommand(command: string, context: CommandContext): CommandJudgement {
  try {
    return judge(command, context)
  } catch (thrown) {
    if (thrown instanceof TooMuch) return refused('Too long or too deep to judge. Split it, or put it in a file of the workspace.')
    return refused('The policy failed on it. Write it in a simpler way.')
  }
}

function judge(command: string, context: CommandContext): CommandJudgement {
  if (command.length > maxLength) return refused('Too long to judge. Put it in a file of the workspace.')
  if (command.includes('\0')) return refused('It holds a NUL byte, which no shell takes. Leave it out.')
  if (openParentheses(command) > maxNesting) throw new TooMuch()
  const { settings, directory, branch, home, workspaceRoot, leadsOutside } = context
  const isProtected = branchTest(settings.protectedBranches)
  const scene = new Scene({ workspaceRoot, home, directory, branch, sensitivePaths: settings.sensitivePaths, leadsOutside }, isProtected, isKnownCommand)
  const { commands, problems } = walkScript(command, scene)
  const parts = commands.map((part) => partOf(part, context))
  const [problem] = problems
  if (problem !== undefined) return unparsed(`Could not be parsed: ${problem}`, parts)
  if (context.shell === 'cmd') return unparsed('Commands of the Windows shell are not read by the policy', parts)
  if (parts.length === 0) return unparsed('It runs nothing', parts)
  if (invisible.test(command))
    return { ...summed(parts), verdict: worseVerdict('asks', summed(parts).verdict), reason: 'Holds characters that cannot be seen' }
  return summed(parts)
}

/** How many parentheses stand open at once, quotes not minded: the parser's time grows with the square of it. */
function openParentheses(command: string): number {
  let open = 0
  let most = 0
  for (const char of command) {
    if (char === '(') most = Math.max(most, ++open)
    else if (char === ')' && open > 0) open--
  }
  return most
}

/** Characters that make a line look like another one. */
const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/

function summed(parts: readonly CommandPart[]): CommandJudgement {
  const verdict = parts.reduce((worst: CommandPart['verdict'], part) => worseVerdict(worst, part.verdict), 'allowed')
  const worst = parts.filter((part) => part.verdict === verdict)
  const [first] = worst
  const reason = verdict === 'asks' && parts.length > 1 ? `${worst.length} of ${parts.length} parts ask` : (first?.reason ?? '')
  return { verdict, isParsed: true, parts, reason }
}

function unparsed(reason: string, parts: readonly CommandPart[]): CommandJudgement {
  const known = summed(parts)
  return known.verdict === 'denied' ? { ...known, isParsed: false } : { verdict: 'asks', isParsed: false, parts, reason }
}

function refused(reason: string): CommandJudgement {
  return { verdict: 'denied', isParsed: false, parts: [], reason }
}

function branchTest(patterns: readonly string[]): (branch: string) => boolean {
  const expressions = patterns.map(
    (pattern) =>
      new RegExp(
        `^${pattern
          .split('*')
          .map((text) => text.replace(/[^\w]/g, '\\$&'))
          .join('.*')}$`,
      ),
  )
  return (branch) => expressions.some((expression) => expression.test(branch))
}
