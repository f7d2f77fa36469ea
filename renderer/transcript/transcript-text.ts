import type { ToolCall, TranscriptEntry } from '../../shared/session.js'
import type { TranscriptGoal } from '../state/shell-slice.js'

/** Everything of an entry that a search looks through. */
export function searchText(entry: TranscriptEntry): string {
  switch (entry.kind) {
    case 'prompt':
    case 'reply':
    case 'thought':
      return entry.text
    case 'call':
      return callText(entry.call)
    case 'other':
      return `${entry.label}\n${entry.raw}`
  }
}

/** Indexes of the entries that have these words. */
export function matchingEntries(entries: readonly TranscriptEntry[], words: string): readonly number[] {
  const wanted = words.trim().toLowerCase()
  if (wanted === '') return []
  return entries.flatMap((entry, at) => (searchText(entry).toLowerCase().includes(wanted) ? [at] : []))
}

/** The entry that someone came here for; -1 where it is not in this turn. The last call that touched a file is its. */
export function goalEntry(entries: readonly TranscriptEntry[], goal: TranscriptGoal | null): number {
  if (!goal) return -1
  if (goal.kind === 'text') return entries.findIndex((entry) => searchText(entry).includes(goal.text))
  const fits = (call: ToolCall): boolean => {
    const isIt = goal.kind === 'call' ? call.callId === goal.callId : call.edit?.path === goal.path
    return isIt || (call.subagent?.calls.some(fits) ?? false)
  }
  return entries.findLastIndex((entry) => entry.kind === 'call' && fits(entry.call))
}

/** What a call is about, in its one line: the path, the command, or the first short argument. */
export function callSubject({ edit, command, seen, args }: ToolCall): string {
  if (edit) return edit.path
  if (command) return command.text
  if (seen) return seen.path
  const first = argumentsOf(args).find(({ value }) => value !== '' && !value.includes('\n') && value.length < 200)
  return first?.value ?? ''
}

export interface Argument {
  readonly name: string
  /** Texts as they are, everything else as JSON. */
  readonly value: string
}

/** Arguments for reading: one line each. What is no JSON object is one nameless argument. */
export function argumentsOf(args: string): readonly Argument[] {
  try {
    const parsed: unknown = JSON.parse(args)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return [{ name: '', value: args }]
    return Object.entries(parsed).map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    }))
  } catch {
    return args === '' ? [] : [{ name: '', value: args }]
  }
}

function callText(call: ToolCall): string {
  return [call.name, call.args, call.output, ...(call.subagent?.calls.map(callText) ?? [])].join('\n')
}
