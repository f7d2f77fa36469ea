// Longer than most: all kinds of nodes of the grammar stand in one switch, and what they find goes into one list.

import {
  forEachChild,
  parse,
  type Assignment,
  type Command,
  type CommandNode,
  type Function as FunctionNode,
  type ParsedScript,
  type PipelineNode,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { assignedBy } from './assigned-names.js'
import { noInput, type Inner, type Input, type Outcome } from './call.js'
import { allows, asksAlways, asksToRead, denied, type Finding } from './findings.js'
import { checkedOut } from './git-command.js'
import { commandName, judgeNamed, judgePattern, judgeUnknownName, programName } from './known-commands.js'
import { isForkBomb } from './machine-commands.js'
import { isDownloader } from './network-commands.js'
import { isShowable } from './read-commands.js'
import { inputAfter, isStream, judgeRedirections } from './redirections.js'
import { arithmeticFinding, judgeAssignment } from './variables.js'
import type { Scene } from './scene.js'
import { anyName, literalOf, plainField, printedByCommand, readAssigned, readFields, unknownText, type Field } from './shell-fields.js'
import { callsItself, isClosed } from './syntax-facts.js'
import { settingFor } from './wrapper-commands.js'
import type { JudgedCommand } from './simple-command.js'

/** Thrown when a command is too large or too deep to be judged in time. */
export class TooMuch extends Error {}

const maxCommands = 2000
const maxDepth = 24

/** What was found in a script, in the order in which it stands there. */
export interface Walked {
  readonly commands: readonly JudgedCommand[]
  /** What the parser could not read, in its words. */
  readonly problems: readonly string[]
}

/** Every simple command of a script, of what is substituted in it, and of what these run in turn. */
export function walkScript(text: string, scene: Scene): Walked {
  const walk = new ScriptWalk()
  walk.text(text, scene, noInput, 0)
  return { commands: walk.commands, problems: walk.problems }
}

class ScriptWalk {
  commands: JudgedCommand[] = []
  readonly problems: string[] = []
  private count = 0

  text(text: string, scene: Scene, input: Input, depth: number): void {
    if (depth > maxDepth) throw new TooMuch()
    this.script(parse(text), text, scene, input, depth)
  }

  private script(script: ParsedScript, source: string, scene: Scene, input: Input, depth: number): void {
    for (const error of script.errors ?? []) this.problems.push(error.message)
    this.statements(script.commands, script.source ?? source, scene, input, depth)
  }

  private statements(statements: readonly Statement[], source: string, scene: Scene, input: Input, depth: number): void {
    for (const statement of statements) {
      const { command } = statement
      // What runs in the background runs in a shell of its own.
      const inside = statement.background ? scene.copy() : scene
      if (command.type === 'AndOr') {
        const mayBeSet = assignedBy(...command.commands.slice(1))
        command.commands.forEach((part, at) => {
          inside.forget(mayBeSet)
          this.pipeline(part, source, inside.afterOperator(command.operators[at - 1]), input, depth)
        })
        inside.forget(mayBeSet)
      } else this.pipeline(command, source, inside, input, depth)
      inside.endOfChain(command.type === 'AndOr' ? command.operators : [])
    }
  }

  private pipeline(node: PipelineNode, source: string, scene: Scene, input: Input, depth: number): void {
    if (node.type !== 'Pipeline') return this.node(node, source, scene, input, depth)
    let given = input
    node.commands.forEach((command) => {
      const before = this.downloads
      const inside = node.commands.length > 1 ? scene.copy() : scene
      this.node(command, source, inside, given, depth)
      const text = command.type === 'Command' ? printed(command, inside, given) : null
      given = { text, isGiven: true, isDownload: given.isDownload || this.downloads > before }
    })
  }

  private node(node: CommandNode, source: string, scene: Scene, input: Input, depth: number): void {
    if (depth > maxDepth) throw new TooMuch()
    // Which of these run, how often and up to where is not known, so neither is what any of them may set.
    if (/^(?:If|Case|While|For|Select|ArithmeticFor|ArithmeticCommand|TestCommand|Coproc)$/.test(node.type)) scene.forget(assignedBy(node))
    switch (node.type) {
      case 'Command':
        return this.command(node, source, scene, input, depth)
      case 'Redirected': {
        const findings = [...this.filesOf(node.redirects, scene)]
        if (showsSecret(node.redirects)) findings.push(asksToRead('Shows variables of the environment'))
        if (findings.length > 0) this.add({ text: textOf(node.redirects, source), depth, fields: [], findings, isBare: false })
        scene.forget(assignedBy(...node.redirects))
        this.node(node.command, source, scene, inputAfter(node.redirects, scene, input), depth)
        return this.substitutions(node.redirects, source, scene, depth)
      }
      case 'Subshell':
        return this.statements(node.body.commands, source, scene.copy(), input, depth)
      case 'BraceGroup':
        return this.statements(node.body.commands, source, scene, input, depth)
      case 'If':
        this.statements(node.clause.commands, source, scene, input, depth)
        scene.forget(assignedBy(node.then, ...node.elif, ...(node.else ? [node.else] : [])))
        return this.branches(
          scene,
          [node.then, ...node.elif.flatMap((branch) => [branch.clause, branch.then]), ...(node.else ? [node.else] : [])].map(
            (list) => (inside) => this.statements(list.commands, source, inside, input, depth),
          ),
        )
      case 'Case':
        this.words([node.word, ...node.items.flatMap((item) => item.pattern)], source, scene, depth)
        return this.branches(
          scene,
          node.items.map((item) => (inside) => this.statements(item.body.commands, source, inside, input, depth)),
        )
      case 'While': {
        const isEndless = /^(?:true|:|false|\[ 1 \]|1)$/.test(source.slice(node.clause.pos, node.clause.end).replace(/[;\s]+$/, ''))
        if (isEndless) this.forkBomb(node, node.body.commands, source, depth)
        return this.loop(scene, (inside) => {
          this.statements(node.clause.commands, source, inside, input, depth)
          this.statements(node.body.commands, source, inside, input, depth)
        })
      }
      case 'For':
      case 'Select':
        return this.forEach(node.name, node.wordlist, source, scene, depth, (inside) =>
          this.statements(node.body.commands, source, inside, input, depth),
        )
      case 'ArithmeticFor':
        if (!node.test) this.forkBomb(node, node.body.commands, source, depth)
        this.expression(node, source, scene, depth)
        return this.loop(scene, (inside) => this.statements(node.body.commands, source, inside, input, depth))
      case 'ArithmeticCommand':
      case 'TestCommand':
        return this.expression(node, source, scene, depth)
      case 'Function':
        return this.definition(node, source, scene, depth)
      case 'Coproc':
        if (node.body.type === 'CompoundList') return this.statements(node.body.commands, source, scene.copy(), input, depth)
        return this.node(node.body, source, scene.copy(), input, depth)
    }
  }

  /** Alternatives, each from the same beginning; afterwards any of them may have run, or none. */
  private branches(scene: Scene, runs: readonly ((inside: Scene) => void)[]): void {
    const ends = runs.map((run) => {
      const inside = scene.copy()
      run(inside)
      return inside
    })
    for (const end of ends) scene.mayBe(end)
  }

  /** A body that runs any number of times: what a first run leaves behind is where a second one begins. */
  private loop(scene: Scene, run: (inside: Scene) => void): void {
    const kept = this.commands
    const inside = scene.copy()
    this.commands = [...kept]
    run(inside)
    if (!inside.hasMovedFrom(scene)) return scene.mayBe(inside)
    this.commands = kept
    inside.mayBe(scene)
    inside.loseWay()
    run(inside)
    scene.mayBe(inside)
  }

  private forEach(name: Word, list: readonly Word[] | undefined, source: string, scene: Scene, depth: number, run: (inside: Scene) => void): void {
    const fields = (list ?? []).flatMap((word) => readFields(word, scene.variables))
    this.words(list ?? [], source, scene, depth)
    const finding = judgeAssignment(name.value)
    if (finding) this.add({ text: source.slice(name.pos, name.end), depth, fields: [], findings: [finding], isBare: false })
    const values = fields.map((field) => (field.text.includes(anyName) && !/\*|\?/.test(field.text) ? field.text : literalOf(field)))
    const isKnown = list !== undefined && values.length > 0 && values.length <= 8 && values.every((value) => value !== null)
    const kept = this.commands
    let worst: JudgedCommand[] | null = null
    for (const value of isKnown ? values : [null]) {
      this.commands = []
      this.loop(scene, (inside) => {
        inside.assign(name.value, value)
        run(inside)
      })
      if (!worst || gravity(this.commands) > gravity(worst)) worst = this.commands
    }
    this.commands = [...kept, ...(worst ?? [])]
  }

  /** A loop without end that starts something in the background each time. */
  private forkBomb(node: SyntaxNode, body: readonly Statement[], source: string, depth: number): void {
    if (!body.some((statement) => statement.background)) return
    this.add({
      text: source.slice(node.pos, node.end),
      depth,
      fields: [],
      findings: [denied('Starts processes without end. Start as many as are needed.')],
      isBare: false,
    })
  }

  private definition(node: FunctionNode, source: string, scene: Scene, depth: number): void {
    const name = node.name.value
    const findings: Finding[] = []
    if (callsItself(node.body, name)) findings.push(denied('Starts itself again and again. Call it from outside.'))
    else if (scene.isKnownCommand(name)) findings.push(asksAlways('Gives a command another meaning'))
    if (findings.length > 0) this.add({ text: source.slice(node.pos, node.end), depth, fields: [], findings, isBare: false })
    scene.forget(assignedBy(node.body), true)
    // Its words and its folder are those of whoever calls it.
    const inside = scene.copy()
    inside.loseWay()
    if (node.body.type === 'CompoundList') this.statements(node.body.commands, source, inside, noInput, depth)
    else this.node(node.body, source, inside, noInput, depth)
  }

  /** `(( … ))` and `[[ … ]]`: they run nothing themselves, but what they work out may. */
  private expression(node: SyntaxNode, source: string, scene: Scene, depth: number): void {
    const finding = arithmeticFinding(node)
    this.add({
      text: source.slice(node.pos, node.end).split('\n')[0]?.slice(0, 200) ?? '',
      depth,
      fields: [],
      findings: finding ? [finding] : [allows()],
      isBare: false,
    })
    this.within(node, source, scene, depth)
  }

  private command(node: Command, source: string, scene: Scene, input: Input, depth: number): void {
    const values = node.prefix.flatMap((item) => (item.type === 'Assignment' ? [item.value] : []))
    const touched = assignedBy(...(node.name ? [node] : [...node.redirects, ...values]))
    const words = [...(node.name ? [node.name] : []), ...node.args]
    const assigned = node.prefix.flatMap((item) => (item.type === 'Assignment' ? [item] : []))
    const fields = words.flatMap((word) => (word.type === 'Word' ? readFields(word, scene.variables) : [assignedField(word, scene)]))
    const place = this.commands.length
    const downloadsBefore = this.downloads
    const findings = [
      ...this.filesOf(node.redirects, scene),
      ...(showsSecret(node.redirects) || assigned.some((item) => !isShowable(item.text)) ? [asksToRead('Shows variables of the environment')] : []),
      ...words.flatMap((word) => arithmeticFinding(word) ?? []),
      ...assigned.flatMap((item) => arithmeticFinding(item) ?? []),
    ]
    const name = node.name ? commandName(literalOf(fields[0]) ?? '') : ''
    // `>(…)` reads what this command prints.
    const printing: Input = { text: null, isGiven: true, isDownload: input.isDownload || isDownloader(name) }
    this.within(node, source, scene, depth, printing)
    const inner = this.commands.splice(place)
    const hasDownload = this.downloads > downloadsBefore
    const settings = assigned.flatMap(
      (item) => (node.name ? settingFor(item.name, readAssigned(item, scene.variables)) : judgeAssignment(item.name)) ?? [],
    )
    const given = inputAfter(node.redirects, scene, input)
    const hasFiles = node.redirects.some((redirect) => !isStream(redirect, scene))
    this.judge({
      text: oneLine(source.slice(node.pos, node.end)),
      fields,
      findings: [...settings, ...findings],
      input: given,
      hasDownload,
      isBare: assigned.length === 0 && !hasFiles && given.text === null && inner.length === 0,
      depth,
      scene,
    })
    scene.forget(touched, /^(?:declare|typeset|local|readonly|export)$/.test(name))
    for (const item of assigned) if (!node.name) scene.assign(item.name, readAssigned(item, scene.variables))
    // Declared, it may be read-only or change what it is given.
    scene.forget(new Set(node.args.flatMap((word) => (word.type === 'Assignment' ? [word.name] : []))), true)
    this.commands.push(...inner)
  }

  /** Judges one command by its words, and then what it runs in turn. */
  private judge(call: {
    text: string
    fields: readonly Field[]
    findings: readonly Finding[]
    input: Input
    hasDownload: boolean
    isBare: boolean
    depth: number
    scene: Scene
  }): void {
    const { fields, scene, depth } = call
    if (++this.count > maxCommands || depth > maxDepth) throw new TooMuch()
    const outcome = this.outcomeOf(call)
    const own = outcome.ownWords === undefined || !outcome.inner?.length ? call.text : shown(fields.slice(0, outcome.ownWords + 1)) || call.text
    this.add({ text: own, depth, fields, findings: [...outcome.findings, ...call.findings], isBare: call.isBare && scene.isAtRoot() })
    scene.follow(fields)
    const branch = commandName(literalOf(fields[0]) ?? '') === 'git' ? checkedOut(fields.slice(1), scene.ground) : null
    if (branch !== null) scene.mayCheckOut(branch)
    for (const inner of outcome.inner ?? []) this.inner(inner, call.isBare, scene, depth + 1)
  }

  private inner(inner: Inner, isBare: boolean, scene: Scene, depth: number): void {
    if (depth > maxDepth) throw new TooMuch()
    const input = inner.input ?? noInput
    const inside = inner.isSameShell ? scene : scene.copy()
    if (inner.kind === 'words') {
      if (isDownloader(commandName(literalOf(inner.words[0]) ?? ''))) this.downloads++
      return this.judge({ text: shown(inner.words), fields: inner.words, findings: [], input, hasDownload: false, isBare, depth, scene: inside })
    }
    // Signs that stand for unknown text are no shell: a variable that is never set stands for them.
    const text = inner.text.replaceAll(unknownText, '$__unknown__').replaceAll(anyName, '*')
    const before = this.commands.length
    this.text(text, inside, input, depth)
    if (inner.isKnown) return
    // Whatever the unknown part is can end one command and begin another.
    this.commands.splice(before, 0, {
      text: shown([plainField(inner.text)]),
      depth,
      fields: [],
      findings: [asksAlways('Runs a text that only the shell knows')],
      isBare: false,
    })
  }

  private outcomeOf({ fields, input, hasDownload, scene }: { fields: readonly Field[]; input: Input; hasDownload: boolean; scene: Scene }): Outcome {
    const [first, ...words] = fields
    const call = { words, ground: scene.ground, input, hasDownload, branches: scene.branches, isProtected: scene.isProtected }
    if (!first) return { findings: [] }
    const literal = literalOf(first)
    const moved = literal === null ? null : scene.moves(literal, words)
    if (moved) return { findings: moved }
    if (literal === null && !first.text.includes(unknownText)) return judgePattern(first.text, call)
    if (literal === null) {
      if (isDownloader(commandName(first.whenEmpty))) this.downloads++
      return judgeUnknownName(fields, call)
    }
    const name = programName(literal, scene.ground)
    if (isDownloader(name)) this.downloads++
    const outcome = judgeNamed(name, call)
    if (first.isPlain) return outcome
    return { ...outcome, findings: [...outcome.findings, asksAlways('The name of the command is decided by a variable, a substitution or braces')] }
  }

  /** How many commands so far fetch something from elsewhere. */
  private downloads = 0

  private add(command: JudgedCommand): void {
    if (this.commands.length > maxCommands) throw new TooMuch()
    const isBomb = isForkBomb(command.text)
    this.commands.push(isBomb ? { ...command, findings: [...command.findings, denied('Starts itself without end. Run it once.')] } : command)
  }

  private words(words: readonly Word[], source: string, scene: Scene, depth: number): void {
    for (const word of words) {
      const finding = arithmeticFinding(word)
      if (finding) this.add({ text: word.text, depth, fields: [], findings: [finding], isBare: false })
      this.within(word, source, scene, depth)
    }
  }

  private substitutions(nodes: readonly SyntaxNode[], source: string, scene: Scene, depth: number): void {
    for (const node of nodes) this.within(node, source, scene, depth)
  }

  private filesOf(redirects: readonly Redirection[], scene: Scene): readonly Finding[] {
    if (redirects.some((redirect) => redirect.type === 'HereDoc' && !redirect.closing)) this.problems.push('a text in the line has no end')
    return judgeRedirections(redirects, scene)
  }

  /** The scripts in `$(…)`, backticks, `<(…)` and `>(…)`, wherever they stand in a node. */
  private within(node: SyntaxNode, source: string, scene: Scene, depth: number, printing: Input = noInput): void {
    const visit = (inner: SyntaxNode): void => {
      // The parser may end a pattern at a slash that belongs to a substitution in it.
      if (inner.type === 'ParameterExpansion' && inner.operation?.type === 'Replace' && /[$<>]\(|`|\$\{/.test(inner.text.slice(2)))
        this.problems.push('a substitution within a replacement')
      if (inner.type !== 'CommandExpansion' && inner.type !== 'ProcessSubstitution' && inner.type !== 'ArithmeticCommandExpansion')
        return forEachChild(inner, visit)
      if (!isClosed(inner.text)) this.problems.push('a substitution has no end')
      if (!inner.script) return void this.problems.push('a substitution could not be read')
      if (depth + 1 > maxDepth) throw new TooMuch()
      const isReader = inner.type === 'ProcessSubstitution' && inner.operator === '>'
      this.script(inner.script, source, scene.copy(), isReader ? printing : noInput, depth + 1)
    }
    forEachChild(node, visit)
  }
}

/** A text in the line that holds a secret of the environment. */
function showsSecret(redirects: readonly Redirection[]): boolean {
  return redirects.some((redirect) => {
    if (redirect.type === 'HereString') return redirect.target !== undefined && !isShowable(redirect.target.text)
    return redirect.type === 'HereDoc' && !redirect.delimiter?.quoted && !isShowable(redirect.body.text)
  })
}

function gravity(commands: readonly JudgedCommand[]): number {
  return Math.max(0, ...commands.flatMap(({ findings }) => findings.map(({ verdict }) => (verdict === 'denied' ? 2 : verdict === 'asks' ? 1 : 0))))
}

function assignedField(assignment: Assignment, scene: Scene): Field {
  const value = readAssigned(assignment, scene.variables)
  return { ...plainField(`${assignment.name}=${value ?? unknownText}`), raw: assignment.text, isPlain: false }
}

/** What a command prints into the next one of a pipe. */
function printed(command: Command, scene: Scene, input: Input): string | null {
  if (command.name?.value === 'cat' && command.args.length === 0 && command.redirects.every((redirect) => redirect.type === 'HereDoc')) {
    const body = command.redirects[0]
    return body?.type === 'HereDoc' ? body.body.text : input.text
  }
  return printedByCommand(command, scene.variables)
}

function textOf(nodes: readonly SyntaxNode[], source: string): string {
  return oneLine(nodes.map((node) => source.slice(node.pos, node.end)).join(' '))
}

function shown(fields: readonly Field[]): string {
  return oneLine(
    fields
      .map((field) => field.raw)
      .filter((raw) => raw !== '')
      .join(' '),
  )
}

function oneLine(text: string): string {
  const signs = text.replaceAll('$__unknown__', '…').replaceAll(unknownText, '…').replaceAll(anyName, '*').trim()
  return signs.length > 2000 ? `${signs.slice(0, 1999)}…` : signs
}
