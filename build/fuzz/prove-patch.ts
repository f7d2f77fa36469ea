// A slow and plain second opinion: tries every place for every hunk of a patch.

import { parsePatchText } from '../../electron/edits/patch-edit.js'
import { modeOf, type FuzzFile, type Tree } from './patch-cases.js'

/**
 * The one tree that a patch of texts can make of a target: each hunk stands where its number says, or in exactly one
 * place from the end of the hunk before it to the start of the one behind. Null where there is none, or a choice.
 *
 * Bytes are those of the tree after the edit. It takes the parsed hunks, which clean targets show to be right, and
 * nothing of what finds their places.
 */
export function onlyResult(patch: string, target: Tree, after: Tree): Tree | null {
  const parsed = parsePatchText(patch)
  if (parsed.kind === 'malformed') return null
  const tree = new Map<string, FuzzFile>(target)
  for (const file of parsed.files) {
    const source = file.from ?? file.path
    const before = file.op === 'create' ? { bytes: Buffer.alloc(0), mode: '100644' as const } : target.get(source)
    if (before === undefined) return null
    const made = after.get(file.path)
    if (file.isBinary) {
      if (file.op !== 'create' && file.op !== 'modify') return null
      if (made !== undefined) tree.set(file.path, made)
      continue
    }
    const text = file.content.kind === 'hunks' ? onlyText(before.bytes.toString(), file.content.hunks) : before.bytes.toString()
    if (text === null) return null
    if (file.op === 'rename' || file.op === 'delete') tree.delete(source)
    if (file.op === 'delete' && text !== '') return null
    const isModeChanged = file.newMode !== null && file.newMode !== file.oldMode
    const mode = isModeChanged ? modeOf(file.newMode) : before.mode
    if (file.op !== 'delete') tree.set(file.path, { bytes: Buffer.from(text), mode })
  }
  return tree
}

interface Hunk {
  readonly start: number | null
  readonly lines: readonly { readonly kind: string; readonly text: string }[]
}

function onlyText(text: string, hunks: readonly Hunk[]): string | null {
  const lines = text === '' ? [] : text.split(/(?<=\n)/)
  const all = hunks.flatMap(({ lines: own }) => own.map((line) => line.text))
  const isMixed = all.some((line) => line.endsWith('\r\n')) && all.some((line) => /(^|[^\r])\n$/.test(line))
  const isEqual = (stands: string | undefined, sought: string): boolean =>
    stands !== undefined && (stands === sought || (!isMixed && stands.replace(/\r\n$/, '\n') === sought.replace(/\r\n$/, '\n')))
  const placesOf = ({ start, lines: own }: Hunk): readonly number[] => {
    const old = own.filter(({ kind }) => kind !== 'added').map((line) => line.text)
    if (start !== null && old.every((line, index) => lines[start + index] === line)) return [start]
    const places = lines.map((_, place) => place).filter((place) => old.every((line, index) => isEqual(lines[place + index], line)))
    const isExact = places.some((place) => old.every((line, index) => lines[place + index] === line))
    return !isExact && start !== null && places.includes(start) ? [start] : places
  }
  const length = (hunk: Hunk): number => hunk.lines.filter(({ kind }) => kind !== 'added').length
  const ways: number[][] = []
  const walk = (index: number, end: number, chosen: readonly number[]): void => {
    const hunk = hunks[index]
    if (ways.length > 1) return
    if (hunk === undefined) ways.push([...chosen])
    else for (const place of placesOf(hunk)) if (place >= end) walk(index + 1, place + length(hunk), [...chosen, place])
  }
  walk(0, 0, [])
  const [places, ...more] = ways
  if (places === undefined || more.length > 0) return null

  const result: string[] = []
  let done = 0
  for (const [index, hunk] of hunks.entries()) {
    const place = places[index] ?? 0
    result.push(...lines.slice(done, place))
    const isTold = hunk.lines.filter(({ kind }) => kind !== 'added').every((line, at) => lines[place + at] === line.text)
    let at = place
    let block = place
    let added = 0
    for (const { kind, text: own } of hunk.lines) {
      if (kind === 'added') {
        const model = added < at - block ? block + added : Math.max(at - 1, 0)
        const [end = '\n'] = /\r?\n$/.exec(lines[model] ?? '') ?? /\r?\n$/.exec(lines[model - 1] ?? '') ?? []
        result.push(isTold || !own.endsWith('\n') ? own : own.replace(/\r?\n$/, end))
        added++
      } else {
        if (kind === 'kept') result.push(lines[at] ?? '')
        at++
        if (kind === 'kept') [block, added] = [at, 0]
      }
    }
    done = at
  }
  return [...result, ...lines.slice(done)].join('')
}
