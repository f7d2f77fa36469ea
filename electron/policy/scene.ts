import { posix } from 'node:path'
import { allows, asksToRead, type Finding } from './findings.js'
import type { Assigned } from './assigned-names.js'
import { isLedOutside, placeOf, type Ground } from './places.js'
import { literalOf, type Field, type Variables } from './shell-fields.js'

const maxFolders = 8

/** What commands before have left behind, as far as the text tells: the folder, the variables, the branch. */
export class Scene {
  private directories: readonly string[]
  private isSure = true
  private readonly values: Map<string, string | null>
  private checkedOut: readonly (string | null)[]
  private isOptional = false
  /** Names whose value no assignment of this line tells, shared by all copies. */
  private readonly unsteady: Set<string>

  constructor(
    private readonly base: Omit<Ground, 'directories' | 'isSure'> & { readonly directory: string; readonly branch: string | null },
    readonly isProtected: (branch: string) => boolean,
    readonly isKnownCommand: (name: string) => boolean,
    from?: Scene,
  ) {
    this.directories = from?.directories ?? [base.directory]
    this.values = new Map(from?.values)
    this.unsteady = from?.unsteady ?? new Set()
    this.checkedOut = from?.checkedOut ?? [base.branch]
    this.isSure = from?.isSure ?? true
  }

  get ground(): Ground {
    return { ...this.base, directories: this.directories, isSure: this.isSure }
  }

  get branches(): readonly (string | null)[] {
    return this.checkedOut
  }

  /** Whether a command runs in the workspace folder itself for sure. */
  isAtRoot(): boolean {
    return this.isSure && this.directories.every((folder) => folder === this.base.workspaceRoot)
  }

  readonly variables: Variables = (name) => {
    if (this.unsteady.has(name) || (this.unsteady.has('*') && this.values.has(name))) return null
    const set = this.values.get(name)
    if (set !== undefined) return set
    const [folder, ...more] = this.directories
    if (name === 'HOME') return this.base.home
    if (name === 'PWD') return this.isSure && more.length === 0 ? folder : null
    if (name === 'IFS') return ' \t\n'
    if (name === 'TMPDIR') return '/tmp'
    return /^[?#$!_-]$|^(?:OLDPWD|USER|LOGNAME|SHELL|PATH|RANDOM|HOSTNAME|UID|PPID|BASH\w*|SECONDS|LINENO)$/.test(name) ? null : undefined
  }

  /** A scene of its own, as a subshell has. */
  copy(): Scene {
    return new Scene(this.base, this.isProtected, this.isKnownCommand, this)
  }

  assign(name: string, value: string | null): void {
    // What may not have run leaves two values possible.
    this.values.set(name, this.isOptional && this.values.get(name) !== value ? null : value)
  }

  /** From here on these variables may hold anything; with `forGood` whatever is assigned later. */
  forget(names: Assigned, forGood = false): void {
    if (names === 'any' && forGood) this.unsteady.add('*')
    for (const name of names === 'any' ? this.values.keys() : names) {
      this.values.set(name, null)
      if (forGood) this.unsteady.add(name)
    }
  }

  /** Called before each member of a chain: what stands behind an operator may not run. */
  afterOperator(operator: '&&' | '||' | undefined): this {
    this.isOptional = operator !== undefined
    if (operator === '||') this.directories = merged(this.directories, this.beforeMove ?? [])
    return this
  }

  /** A `cd` of a chain may have failed; behind `&&` it has not. */
  endOfChain(operators: readonly ('&&' | '||')[]): void {
    this.isOptional = false
    if (this.beforeMove) this.directories = merged(this.directories, this.beforeMove)
    this.beforeMove = null
    if (operators.length > 0 && this.directories.length > maxFolders) this.loseWay()
  }

  private beforeMove: readonly string[] | null = null

  /** What `cd` and its like mean, or `null` for another command. */
  moves(name: string, words: readonly Field[]): readonly Finding[] | null {
    if (name === 'popd' || name === 'dirs') return [asksToRead('Goes to a folder that its text does not tell')]
    if (name !== 'cd' && name !== 'pushd' && name !== 'chdir') return null
    const target = targetOf(words)
    if (target === null) return [asksToRead('Goes to a folder that its text does not tell')]
    const place = placeOf(target, this.ground)
    if (isLedOutside(target, this.ground)) return [asksToRead(`Goes to ${place.shown}, which a link may lead outside the workspace`)]
    if (place.kind === 'inside' || place.kind === 'workspace') return [allows('Changes the folder')]
    return [
      asksToRead(
        place.kind === 'unknown' ? `Goes to a folder that its text does not tell (${place.shown})` : `Goes to ${place.shown}, outside the workspace`,
      ),
    ]
  }

  /** Goes where the words of a `cd` lead. */
  follow(fields: readonly Field[]): void {
    const name = literalOf(fields[0])
    if (name === 'popd') return this.loseWay()
    if (name !== 'cd' && name !== 'pushd' && name !== 'chdir') return
    const target = targetOf(fields.slice(1)) ?? (fields.length === 1 ? this.base.home : null)
    this.beforeMove = merged(this.beforeMove ?? [], this.directories)
    if (target === null || target.includes('\0')) return this.loseWay()
    this.directories = [...new Set(this.directories.map((folder) => posix.resolve(folder, target)))]
    if (target.startsWith('/')) this.isSure = true
  }

  /** From here on the folder is not known; those that it may be stay in mind. */
  loseWay(): void {
    this.isSure = false
  }

  mayCheckOut(branch: string): void {
    this.checkedOut = [...new Set([...this.checkedOut, branch])].slice(-maxFolders)
  }

  /** From here on all may be as it is now, or as another scene has it. */
  mayBe(other: Scene): void {
    this.directories = merged(this.directories, other.directories)
    if (!other.isSure || this.directories.length > maxFolders) this.loseWay()
    this.directories = this.directories.slice(0, maxFolders)
    this.checkedOut = [...new Set([...this.checkedOut, ...other.checkedOut])]
    for (const [name, value] of other.values) if (this.values.get(name) !== value) this.values.set(name, null)
  }

  hasMovedFrom(other: Scene): boolean {
    return this.isSure !== other.isSure || this.directories.join('\n') !== other.directories.join('\n')
  }
}

function merged(some: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...some, ...more])]
}

/** The folder that a `cd` names; `null` for none, for `-`, and for options that are not followed. */
function targetOf(words: readonly Field[]): string | null {
  const rest = words.filter((word) => !/^-[LPe@]+$|^--$/.test(word.text))
  const [target, ...more] = rest
  return !target || more.length > 0 || /^[-+]/.test(target.text) ? null : target.text
}
