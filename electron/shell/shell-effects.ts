import { posix } from 'node:path'
import { parse } from 'unbash'
import { workspacePath, type WorkspacePath } from '../../shared/ids.js'
import type { RecognisedSed } from '../edits/sed-command.js'
import { changesNothing } from '../edits/sed-traits.js'
import { recordedSed } from './recorded-sed.js'
import { runCommand, type CommandResult, type Unforeseen } from './shell-commands.js'
import { absolutePath, readWord, scriptsWithin, type Node, type Operand, type Script, type Statement } from './shell-operands.js'

/** What a command names as changed. */
export interface ShellEffect {
  readonly kind: 'file'
  /** `''` is the workspace itself. */
  readonly path: WorkspacePath
  readonly how: 'written' | 'appended' | 'touched' | 'deleted' | 'mode' | 'link'
  /** What the file holds afterwards, or for `appended` what was added, where the command's text says it exactly. */
  readonly content: string | null
  /** The `sed -i` that wrote it, where its effect on known bytes is certain. */
  readonly sed: RecognisedSed | null
  /** Permission bits that were set, where they are written as a number. */
  readonly mode: number | null
  /** Whether the command names this path, and not only a folder that holds what it means. */
  readonly isNamed: boolean
  /** Whether everything below the path is concerned as well. */
  readonly isTree: boolean
  /** Whether it has happened for sure when the whole command ended with exit code 0. */
  readonly isCertain: boolean
  /** Whether the file may have got an old modification time, which hides the change from a recorder that looks at times. */
  readonly keepsMtime: boolean
}

export type ShellStep = ShellEffect | Unforeseen

/** What a recorded shell command can have done to files, in order. `opaque` ones may hold known effects as well. */
export type ShellEffects =
  | { readonly kind: 'reads' }
  | { readonly kind: 'writes'; readonly steps: readonly ShellStep[] }
  | { readonly kind: 'opaque'; readonly reason: string; readonly steps: readonly ShellStep[] }

/**
 * What a recorded shell command can have done, read from its text alone.
 *
 * Shape: `folder` is the workspace and `directory` where the command ran, both absolute; effects inside the workspace
 * get relative paths. Whatever is not surely harmless or surely limited to named files counts as `opaque`.
 */
export function shellEffects(command: string, folder: string, directory: string = folder): ShellEffects {
  if (!folder.startsWith('/')) {
    const reason = 'Only commands of a POSIX shell are understood.'
    return { kind: 'opaque', reason, steps: unforeseen(reason) }
  }
  const walk = new Walk(folder)
  walk.script(parse(command), { folders: [absolutePath(folder, directory)], text: command }, true)
  const [first] = walk.steps
  if (!first) return { kind: 'reads' }
  const hidden = walk.steps.find((step) => step.kind === 'unforeseen')
  return hidden ? { kind: 'opaque', reason: hidden.reason, steps: walk.steps } : { kind: 'writes', steps: walk.steps }
}

/** The steps of a call whose effects are not known at all. */
export function unforeseen(reason: string): readonly ShellStep[] {
  return [{ kind: 'unforeseen', reason, keepsMtime: true, deletes: true }]
}

/** Folders in which a shell may stand; more than one after a `cd` that may have failed. */
interface Scope {
  folders: readonly string[]
  /** The text that the nodes have their places in; `null` where that is not at hand. */
  readonly text: string | null
}

type CommandNode = Extract<Node, { readonly type: 'Command' }>
type List = readonly Statement[]

class Walk {
  readonly steps: ShellStep[] = []
  /** An `exit` before may have ended the script, with its own exit code. */
  private mayHaveEnded = false

  constructor(private readonly folder: string) {}

  script(script: Script | null, scope: Scope, isCertain: boolean): void {
    if (!script || script.errors?.length) this.unforeseen('The command could not be read.')
    if (script) this.list(script.commands, scope, isCertain)
  }

  /** The exit code of a list is that of its last statement: only that one is known to have succeeded. */
  private list(statements: List, scope: Scope, isCertain: boolean): void {
    statements.forEach((statement, at) => {
      const isLast = at === statements.length - 1
      const before = scope.folders
      this.node(statement.command, scope, isCertain && isLast && !statement.background)
      if (!isLast) scope.folders = union(before, scope.folders)
      if (statement.background && this.steps.length > 0) this.unforeseen('Part of the command went on in the background.')
    })
  }

  private node(node: Node, scope: Scope, isCertain: boolean): void {
    switch (node.type) {
      case 'Command':
        return this.command(node, scope, isCertain)
      case 'AndOr': {
        const isChain = node.operators.every((operator) => operator === '&&')
        return node.commands.forEach((part) => {
          const before = scope.folders
          this.node(part, scope, isCertain && isChain)
          if (!isChain) scope.folders = union(before, scope.folders)
        })
      }
      case 'Pipeline':
        return node.commands.forEach((part, at) => {
          const isLast = at === node.commands.length - 1
          const negated = node.prefixes.some((prefix) => prefix.type === 'Negation')
          this.node(part, node.commands.length > 1 ? { ...scope } : scope, isCertain && isLast && !negated)
        })
      case 'Subshell':
        return this.list(node.body.commands, { ...scope }, isCertain)
      case 'BraceGroup':
        return this.list(node.body.commands, scope, isCertain)
      case 'Redirected':
        this.node(node.command, scope, isCertain)
        return this.redirects(node.redirects, scope, isCertain, null)
      case 'If':
        this.maybe(node.clause.commands, scope)
        this.maybe(node.then.commands, scope)
        for (const branch of node.elif) {
          this.maybe(branch.clause.commands, scope)
          this.maybe(branch.then.commands, scope)
        }
        return this.maybe(node.else?.commands ?? [], scope)
      case 'While':
        this.maybe(node.clause.commands, scope)
        return this.maybe(node.body.commands, scope)
      case 'For':
        node.wordlist?.forEach((word) => this.within(word, scope))
        return this.maybe(node.body.commands, scope)
      case 'Case':
        this.within(node.word, scope)
        return node.items.forEach((item) => this.maybe(item.body.commands, scope))
      case 'TestCommand':
      case 'ArithmeticCommand':
        return this.within(node, scope)
      default:
        this.unforeseen('The command defines functions or uses other means that are not followed.')
    }
  }

  private maybe(statements: List, scope: Scope): void {
    const before = scope.folders
    this.list(statements, scope, false)
    scope.folders = union(before, scope.folders)
  }

  private within(node: Node, scope: Scope): void {
    for (const script of scriptsWithin(node)) this.script(script, { ...scope, text: null }, false)
  }

  private command(node: CommandNode, scope: Scope, isReached: boolean): void {
    const isCertain = isReached && !this.mayHaveEnded
    const sed = node.name?.value === 'sed' && scope.text !== null ? recordedSed(scope.text.slice(node.pos, node.end), this.folder) : null
    if (sed) return changesNothing(sed) ? undefined : this.add({ kind: 'file', target: { literal: sed.path, within: null }, how: 'written' }, scope, isCertain, sed)
    this.within(node, scope)
    const assigned = node.prefix.some((part) => part.type === 'Assignment' && /^(PATH|LD_|GIT_|BASH_ENV|ENV|IFS|CDPATH)/.test(part.name))
    if (assigned) this.unforeseen('The command changes where programs are found.')
    const words = [...(node.name ? [node.name] : []), ...node.args].map((word) => (word.type === 'Word' ? readWord(word) : assignment(word)))
    const result = runCommand(words, inputOf(node.redirects))
    if (result.script !== undefined) this.script(parse(result.script), { ...scope, text: result.script }, isCertain)
    if (/^(exit|return|exec)$/.test(node.name?.value ?? '')) this.mayHaveEnded = true
    if (result.folder !== undefined) this.enter(result.folder, scope)
    for (const step of result.steps) this.add(step, scope, isCertain)
    this.redirects(node.redirects, scope, isCertain, result.output)
  }

  private enter(folder: string | null, scope: Scope): void {
    if (folder === null) this.unforeseen('The command changes to a folder that its text does not name.')
    else scope.folders = scope.folders.map((from) => absolutePath(from, folder))
  }

  private redirects(redirects: CommandNode['redirects'], scope: Scope, isCertain: boolean, output: string | null): void {
    for (const redirect of redirects) {
      if (redirect.type !== 'Redirect' || redirect.operator === '<' || redirect.operator === '<&') continue
      const target = redirect.target ? readWord(redirect.target) : { literal: null, within: null }
      if (redirect.operator === '>&' && target.literal !== null && /^(\d+|-)$/.test(target.literal)) continue
      if (target.literal?.startsWith('/dev/')) continue
      const number = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : 1
      // With several redirections of one stream only the last one gets the output; that is rare enough to call it unknown.
      const isExact = number === 1 && redirects.filter((other) => other.type === 'Redirect' && other.operator !== '<').length === 1
      const how = redirect.operator === '>>' || redirect.operator === '&>>' ? 'appended' : 'written'
      const content = isExact && (redirect.operator === '>' || redirect.operator === '>|' || redirect.operator === '>>') ? output : null
      this.add({ kind: 'file', target, how, content }, scope, isCertain)
    }
  }

  private add(step: CommandResult['steps'][number], scope: Scope, isCertain: boolean, sed: RecognisedSed | null = null): void {
    if (step.kind === 'unforeseen') {
      this.steps.push(step)
      return
    }
    const name = step.target.literal ?? step.target.within
    if (name === null || name === '') return this.unforeseen('The command names a file by an expansion.')
    const isOne = step.target.literal !== null && scope.folders.length === 1
    if (scope.folders.length > 4) return this.unforeseen('The command changes folders in many ways.')
    for (const from of scope.folders) {
      this.steps.push({
        kind: 'file',
        path: this.relative(absolutePath(from, name)),
        how: step.how,
        content: step.content ?? null,
        sed,
        mode: step.mode ?? null,
        isNamed: step.target.literal !== null,
        isTree: step.isTree === true || step.target.literal === null,
        isCertain: isCertain && isOne && step.isDoubtful !== true,
        keepsMtime: step.keepsMtime === true,
      })
    }
  }

  private relative(absolute: string): WorkspacePath {
    const inside = posix.relative(this.folder, absolute)
    return workspacePath(inside === '..' || inside.startsWith('../') ? absolute : inside)
  }

  private unforeseen(reason: string): void {
    this.steps.push(...unforeseen(reason))
  }
}

type Assignment = Extract<CommandNode['args'][number], { readonly type: 'Assignment' }>

/** An argument such as `of=x`, which looks like an assignment. */
function assignment(node: Assignment): Operand {
  const value = node.value.type === 'Word' ? readWord(node.value).literal : null
  return { literal: value === null ? null : `${node.name}=${value}`, within: null }
}

/** The text that a here-document feeds; `null` where there is none, or the shell changes it on the way. */
function inputOf(redirects: CommandNode['redirects']): string | null {
  const inputs = redirects.filter((redirect) => redirect.type !== 'Redirect' || redirect.operator === '<' || redirect.operator === '<&' || redirect.operator === '<>')
  const [heredoc] = inputs
  if (inputs.length !== 1 || heredoc?.type !== 'HereDoc' || heredoc.descriptor || heredoc.operator === '<<-' || !heredoc.closing) return null
  return heredoc.delimiter?.quoted === true || !/[$`\\]/.test(heredoc.body.text) ? heredoc.body.text : null
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])]
}
