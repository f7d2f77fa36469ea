import {
  parse,
  type Assignment,
  type Command,
  type DoubleQuotedChild,
  type ParameterExpansionPart,
  type Script,
  type Word,
  type WordPart,
} from 'unbash'
import { expandBraces } from './brace-expansion.js'

/** Stands in a field's text for text that nobody knows: of any length, with any characters. */
export const unknownText = '\0'
/** Stands in a field's text for what a pattern may match: any text without a slash. */
export const anyName = '\u0001'

/** One word as the command gets it, as far as that can be known without running a shell. */
export interface Field {
  /** Its value, with the two signs above where it is not known. */
  readonly text: string
  /** Its value should all that is not known be empty. */
  readonly whenEmpty: string
  /** How it stands in the source. */
  readonly raw: string
  /** Without any variable, substitution, pattern, brace or `~`. */
  readonly isPlain: boolean
  /** Whether it is gone altogether should what is not known be empty. */
  readonly canVanish: boolean
  /** Whether a part that is not known can split it into any words, options among them. */
  readonly canSplit: boolean
}

/** What is known of variables: a value, `null` for one that was set to something unknown, `undefined` for one not set here. */
export type Variables = (name: string) => string | null | undefined

/** A field with exactly this value. */
export function plainField(text: string): Field {
  return { text, whenEmpty: text, raw: text, isPlain: !hasSigns(text), canVanish: false, canSplit: false }
}

/** A field of which nothing is known. */
export const unknownField: Field = { text: unknownText, whenEmpty: '', raw: '…', isPlain: false, canVanish: true, canSplit: true }

/** Its exact value, or `null`. */
export function literalOf(field: Field | undefined): string | null {
  return field === undefined || hasSigns(field.text) ? null : field.text
}

function hasSigns(text: string): boolean {
  return text.includes(unknownText) || text.includes(anyName)
}

/** The fields that a word becomes: more than one with braces, or with a variable that is split at its blanks. */
export function readFields(word: Word, variables: Variables): readonly Field[] {
  if (!word.parts?.some((part) => part.type === 'BraceExpansion')) return new FieldReader(variables).read(word)
  const alternatives = expandBraces(word.text)
  if (!alternatives) return [{ ...unknownField, raw: word.text }]
  const fields = alternatives.flatMap((text) => wordsOf(text).flatMap((inner) => new FieldReader(variables).read(inner)))
  return fields.map((field, at) => ({ ...field, raw: at === 0 ? word.text : '', isPlain: false }))
}

/** The value of an assignment; never split. */
export function readAssigned(assignment: Assignment, variables: Variables): string | null {
  if (assignment.value.type !== 'Word' || assignment.index || assignment.append) return null
  const text = new FieldReader(variables, true).read(assignment.value)[0]?.text ?? ''
  return hasSigns(text) ? null : text
}

/** What `echo` or `printf` is known to print in a script that is nothing but that, without its last line feed. */
export function printedBy(script: Script, variables: Variables): string | null {
  const [statement, ...more] = script.commands
  if (!statement || more.length > 0 || statement.command.type !== 'Command') return null
  return printedByCommand(statement.command, variables)
}

export function printedByCommand(command: Command, variables: Variables): string | null {
  if (!command.name || command.prefix.length > 0 || command.redirects.length > 0) return null
  const words = [command.name, ...command.args].flatMap((word) => (word.type === 'Word' ? readFields(word, variables) : [unknownField]))
  const texts = words.map((field) => literalOf(field))
  const known = texts.flatMap((text) => (text === null ? [] : [text]))
  const [name, ...rest] = known
  if (known.length < texts.length) return null
  if (name === 'echo') {
    const options = /^-[neE]+$/.test(rest[0] ?? '') ? (rest[0] ?? '') : ''
    const text = rest.slice(options === '' ? 0 : 1).join(' ')
    return options.includes('e') ? unescape(text) : text
  }
  if (name !== 'printf') return null
  const [format, ...values] = rest
  if (format === undefined || /%(?![s%b])/.test(format)) return null
  let next = 0
  return unescape(format)
    .replace(/%[sb%]/g, (mark) => {
      if (mark === '%%') return '%'
      const value = values[next++] ?? ''
      return mark === '%b' ? unescape(value) : value
    })
    .trimEnd()
}

/** The escapes with which `printf` and `echo -e` can spell any command. */
function unescape(text: string): string {
  return text.replace(/\\(?:n|t|\\|0?[0-7]{1,3}|x[0-9a-fA-F]{1,2})/g, (escape) => {
    if (escape === '\\n') return '\n'
    if (escape === '\\t') return '\t'
    if (escape === '\\\\') return '\\'
    return String.fromCharCode(escape[1] === 'x' ? Number.parseInt(escape.slice(2), 16) : Number.parseInt(escape.slice(1), 8))
  })
}

function wordsOf(text: string): readonly Word[] {
  const statement = parse(`: ${text}`).commands[0]
  return statement?.command.type === 'Command' ? statement.command.args.flatMap((word) => (word.type === 'Word' ? [word] : [])) : []
}

class FieldReader {
  private readonly done: { readonly text: string; readonly whenEmpty: string }[] = []
  private text = ''
  private whenEmpty = ''
  private isPlain = true
  private isQuoted = false
  private canSplit = false

  constructor(
    private readonly variables: Variables,
    private readonly isAssigned = false,
  ) {}

  read(word: Word): readonly Field[] {
    const parts: readonly WordPart[] = word.parts ?? [{ type: 'Literal', pos: word.pos, end: word.end, value: word.value, text: word.text }]
    parts.forEach((part, at) => {
      if (at === 0 && part.type === 'Literal' && word.text.startsWith('~')) this.addHome(part.value, parts.length === 1)
      else this.addPart(part, false)
    })
    // An unquoted variable with nothing in it leaves no word at all.
    if (this.text !== '' || this.whenEmpty !== '' || this.isQuoted || this.isPlain) this.close()
    return this.done.map((field, at) => ({
      ...field,
      raw: at === 0 ? word.text : '',
      isPlain: this.isPlain && !hasSigns(field.text),
      canVanish: !this.isQuoted && field.whenEmpty === '' && field.text !== '',
      canSplit: this.canSplit,
    }))
  }

  private close(): void {
    this.done.push({ text: this.text, whenEmpty: this.whenEmpty })
    this.text = ''
    this.whenEmpty = ''
  }

  private add(text: string, whenEmpty = text): void {
    this.text += text
    this.whenEmpty += whenEmpty
  }

  private addHome(value: string, isWhole: boolean): void {
    const slash = value.indexOf('/')
    const user = slash < 0 ? value.slice(1) : value.slice(1, slash)
    const rest = slash < 0 ? '' : value.slice(slash)
    // `~"x"` is no home, for the name behind the sign is quoted.
    if (slash < 0 && !isWhole) return this.add(value)
    this.isPlain = false
    const place =
      user === '' ? this.variables('HOME') : user === '+' ? this.variables('PWD') : user === '-' ? null : user === 'root' ? '/root' : `/home/${user}`
    this.add(`${place ?? unknownText}${rest}`)
  }

  private addPart(part: WordPart | DoubleQuotedChild, isQuoted: boolean): void {
    switch (part.type) {
      case 'Literal':
        return this.add(part.value)
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        this.isQuoted = true
        return this.add(part.value)
      case 'DoubleQuoted':
      case 'LocaleString':
        this.isQuoted = true
        return part.parts.forEach((inner) => this.addPart(inner, true))
      case 'Glob':
      case 'ExtendedGlob':
        this.isPlain = false
        return this.add(this.isAssigned ? part.text : anyName)
      case 'SimpleExpansion':
        return this.addVariable(part.text.replace(/^\$\{?|\}$/g, ''), isQuoted)
      case 'ParameterExpansion':
        return this.addParameter(part, isQuoted)
      case 'CommandExpansion': {
        const printed = part.script && printedBy(part.script, this.variables)
        return typeof printed === 'string' ? this.addValue(printed, isQuoted) : this.addUnknown('', !isQuoted)
      }
      case 'ProcessSubstitution':
        this.isPlain = false
        return this.add('/dev/fd/63')
      case 'ArithmeticExpansion':
        return this.addUnknown()
      case 'BraceExpansion':
        return this.addUnknown('', true)
    }
  }

  private addVariable(name: string, isQuoted: boolean): void {
    const value = this.variables(name)
    if (typeof value === 'string') return this.addValue(value, isQuoted)
    // Numbers stay one word; `"$@"` becomes several even in quotes.
    const canSplit = name === '@' || (!isQuoted && !/^[?#$!]$/.test(name))
    this.addUnknown(value === null ? unknownText : '', canSplit)
  }

  private addParameter(part: ParameterExpansionPart, isQuoted: boolean): void {
    const { operation } = part
    const canSplit = !isQuoted || part.parameter === '@' || part.prefix === '!' || part.index?.value === '@'
    if (part.prefix || part.index) return this.addUnknown(unknownText, canSplit)
    if (!operation) return this.addVariable(part.parameter, isQuoted)
    if (operation.type !== 'Default') return this.addUnknown(unknownText, canSplit)
    const value = this.variables(part.parameter)
    if (typeof value === 'string' && value !== '' && !operation.operator.includes('+')) return this.addValue(value, isQuoted)
    const instead = operation.operator.includes('?') ? unknownText : (new FieldReader(this.variables, true).read(operation.operand)[0]?.text ?? '')
    this.addUnknown(instead, canSplit)
  }

  private addUnknown(whenEmpty = '', canSplit = false): void {
    this.isPlain = false
    if (canSplit && !this.isAssigned) this.canSplit = true
    this.add(unknownText, whenEmpty)
  }

  /** What a variable holds: outside quotes it is split at blanks, and its stars are patterns. */
  private addValue(value: string, isQuoted: boolean): void {
    this.isPlain = false
    if (isQuoted || this.isAssigned) return this.add(value)
    const [first = '', ...more] = value.split(/[ \t\n]+/).map((word) => word.replace(/[*?]|\[[^\]]*\]/g, anyName))
    this.add(first)
    for (const word of more) {
      if (this.text !== '' || this.whenEmpty !== '') this.close()
      this.add(word)
    }
  }
}
