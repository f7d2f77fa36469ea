import type { DiffStat } from '../../shared/changes.js'
import type { PromptId } from '../../shared/ids.js'
import type { OperationAction, SessionHeader, TurnDetails } from '../../shared/timeline.js'
import { addUsage, usageText, type Usage } from '../../shared/usage.js'
import { reversedWords } from '../state/operation-words.js'
import { countText, dayText, numberText } from '../ui/words.js'
import type { TimelineEntry } from './rows.js'

/** What a screen reader says of a row. */
export function entryLabel(
  entry: TimelineEntry,
  details: TurnDetails | undefined,
  isOut: boolean,
  byUser: SessionHeader['byUser'],
): string {
  switch (entry.kind) {
    case 'turn':
      return [
        `Turn ${entry.turn.index}: ${entry.turn.prompt}`,
        ...(details ? detailWords(details) : []),
        ...(isOut ? ['taken back'] : []),
      ].join(', ')
    case 'day':
      return `${dayTitle(entry.turns)}, ${entry.isOpen ? 'open' : 'folded'}`
    case 'set-aside':
      return `${setAsideTitle(entry.group.turns.length)}, ${entry.isOpen ? 'open' : 'folded'}`
    case 'set-aside-turn':
      return `Set aside: ${entry.prompt}`
    case 'agent-rewind':
      return entry.label
    case 'operation':
      return [
        operationTitle(entry.operation),
        countText(entry.operation.files, 'file'),
        ...(entry.operation.isUndone ? ['undone'] : []),
      ].join(', ')
    case 'end':
      return byUser && byUser.files > 0 ? `${userTitle(byUser.files)}, ${statWords(byUser.stat)}` : 'The end of the last turn'
    case 'playhead':
      return ''
  }
}

/** What an entry of ours did. Its label names the place it went to, or the change; an undo has the label of what it undid. */
export function operationTitle({ action, label }: { readonly action: OperationAction; readonly label: string }): string {
  switch (action) {
    case 'rewind':
      return `Rewind to ${label}`
    case 'take-back':
      return `Take back ${label}`
    case 'undo':
      return `Undo ${reversedWords(label)}`
    case 'redo':
      return `Redo ${reversedWords(label)}`
  }
}

/** The counts of a turn, those that are not zero. */
export function detailWords(details: TurnDetails): readonly string[] {
  return [
    details.files === 0 ? (details.limits.length > 0 ? 'no change seen' : 'no file changed') : countText(details.files, 'file'),
    ...(details.files === 0 ? [] : [statWords(details.stat)]),
    ...some(details.commands, countText(details.commands, 'command')),
    ...some(details.refused, `${details.refused} refused`),
    ...some(details.failed, `${details.failed} failed`),
    ...some(details.subagents, countText(details.subagents, 'subagent')),
    ...some(details.unknown, `${details.unknown} unknown`),
    ...[usageText(details.usage)].filter((words) => words !== null),
    ...some(details.limits.length, `${countText(details.limits.length, 'thing')} not looked at or not kept`),
    ...(details.byUserInside ? [userTitleInside(details.byUserInside.files)] : []),
  ]
}

export function statWords({ insertions, deletions }: DiffStat): string {
  return `${numberText(insertions)} added, ${numberText(deletions)} removed`
}

export function userTitle(files: number): string {
  return `You edited ${countText(files, 'file')}`
}

/** In the middle of a turn. */
export function userTitleInside(files: number): string {
  return `${userTitle(files)} meanwhile`
}

export function setAsideTitle(turns: number): string {
  return `${countText(turns, 'turn')} set aside`
}

export function dayTitle(turns: readonly { readonly index: number }[]): string {
  const [first, last] = [turns[0], turns.at(-1)]
  if (!first || !last) return 'No turns'
  return first === last ? `Turn ${numberText(first.index)}` : `Turns ${numberText(first.index)} to ${numberText(last.index)}`
}

export function dayOf(turns: readonly { readonly startedAt: number }[], now: number): string {
  return turns[0] ? dayText(turns[0].startedAt, now) : ''
}

/** The sum over turns; `null` while details of one of them are missing. */
export function sumOf(promptIds: readonly PromptId[], details: ReadonlyMap<PromptId, TurnDetails>): TurnDetails | null {
  const known = promptIds.map((id) => details.get(id))
  if (known.length === 0 || known.some((one) => one === undefined)) return null
  const all = known.filter((one) => one !== undefined)
  const sum = (value: (one: TurnDetails) => number): number => all.reduce((total, one) => total + value(one), 0)
  const first = all[0]
  if (!first) return null
  return {
    promptId: first.promptId,
    files: sum((one) => one.files),
    stat: { insertions: sum((one) => one.stat.insertions), deletions: sum((one) => one.stat.deletions) },
    usage: all.reduce<Usage | null>((total, one) => addUsage(total, one.usage), null),
    commands: sum((one) => one.commands),
    refused: sum((one) => one.refused),
    failed: sum((one) => one.failed),
    subagents: sum((one) => one.subagents),
    unknown: sum((one) => one.unknown),
    ticks: all.flatMap((one) => one.ticks),
    limits: [...new Set(all.flatMap((one) => one.limits))],
    byUser: null,
    byUserInside: null,
  }
}

/** What the playhead's slider says. */
export function playheadText(place: string, byUser: SessionHeader['byUser']): string {
  const own = byUser && byUser.files > 0 ? `, plus ${countText(byUser.files, 'file')} edited by you` : ''
  return `Disk is ${place}${own}`
}

function some(count: number, words: string): readonly string[] {
  return count > 0 ? [words] : []
}
