import { posix } from 'node:path'
import { forEachChild, type parse } from 'unbash'

type Script = ReturnType<typeof parse>
type Statement = Script['commands'][number]
export type Node = Parameters<typeof forEachChild>[0]
export type Word = Extract<Node, { readonly type: 'Word' }>
export type { Script, Statement }

/** One word of a command, as far as it can be known without running a shell. */
export interface Operand {
  /** The word's exact value; `null` where an expansion decides it. */
  readonly literal: string | null
  /** For a pattern: the folder that holds everything it can match. `null` where not even that is known. */
  readonly within: string | null
}

/** What a word stands for. */
export function readWord(word: Word): Operand {
  if (word.text.startsWith('~')) return { literal: null, within: null }
  const parts = word.parts ?? []
  const dynamic = parts.findIndex((part) => !isPlain(part))
  if (dynamic < 0) return { literal: word.value, within: null }
  const arePatterns = parts.every((part) => isPlain(part) || part.type === 'Glob' || part.type === 'BraceExpansion' || part.type === 'ExtendedGlob')
  if (!arePatterns || word.text.includes('..') || /[{,]\//.test(word.text)) return { literal: null, within: null }
  const prefix = parts.slice(0, dynamic).map(plainValue).join('')
  return { literal: null, within: prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) || '/' : '.' }
}

type Part = NonNullable<Word['parts']>[number]

function isPlain(part: Part): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true
    case 'DoubleQuoted':
      return part.parts.every((inner) => inner.type === 'Literal')
    default:
      return false
  }
}

function plainValue(part: Part): string {
  if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') return part.value
  return part.type === 'DoubleQuoted' ? part.parts.map((inner) => (inner.type === 'Literal' ? inner.value : '')).join('') : ''
}

/** Every script that runs inside a node: `$(…)`, backticks, `<(…)`, `>(…)`; `null` for one that could not be read. */
export function scriptsWithin(node: Node): readonly (Script | null)[] {
  const found: (Script | null)[] = []
  const visit = (inner: Node): void => {
    if (inner.type === 'CommandExpansion' || inner.type === 'ProcessSubstitution' || inner.type === 'ArithmeticCommandExpansion') {
      found.push(inner.script ?? null)
      return
    }
    forEachChild(inner, visit)
  }
  visit(node)
  return found
}

/** A path as a command names it, made absolute in `folder`. */
export function absolutePath(folder: string, name: string): string {
  const absolute = posix.resolve(folder, name)
  return absolute.length > 1 && absolute.endsWith('/') ? absolute.slice(0, -1) : absolute
}
