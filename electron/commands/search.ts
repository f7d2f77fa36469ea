import { resolve } from 'node:path'
import { searchKinds, type SearchFilter, type SearchHit, type SearchPage } from '../../shared/search.js'
import type { AgentName } from '../../shared/session.js'
import { UsageError, type CommandLine } from './arguments.js'
import { asJson, countOf, plain } from './words.js'
import { watchOf, type CommandWorld, type ExitCode } from './world.js'

const agents: readonly AgentName[] = ['qwen-code', 'claude-code', 'codex', 'gemini-cli', 'opencode', 'overturn']
const usualLimit = 200
const longestText = 400
const pageSize = 500
/** So much of a line is shown before what was found. */
const leadLength = 60
const dayMs = 86_400_000

/** `search <text>`: what all sessions hold of a text, newest first, each hit as it is found. Exit code 1 where nothing is found. */
export async function search(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const text = line.words.join(' ')
  if (text === '' || text.length > longestText) throw new UsageError(`Name a text of at most ${longestText} characters.`)
  const filter = filterOf(line)
  const limit = limitOf(line.text('limit'))
  const hits: SearchHit[] = []
  let page: SearchPage | null = null
  do {
    const wanted = Math.min(pageSize, limit - hits.length)
    page = await world.search.find({ text, filter, cursor: page?.next ?? null, limit: wanted }, watchOf(world, 'Searching sessions'))
    hits.push(...page.hits)
    if (!line.flag('json')) for (const hit of page.hits) world.out(lineOf(hit))
  } while (page.next !== null && hits.length < limit)
  const { searchedSessions, sessions, unreadable } = page
  const isWhole = page.next === null
  if (line.flag('json')) world.out(asJson({ hits, isWhole, searchedSessions, sessions, unreadable }))
  if (hits.length === 0) world.note(`Nothing found in ${countOf(sessions, 'session')}.\n`)
  if (!isWhole) world.note(`Stopped after ${countOf(hits.length, 'hit')}. --limit N shows more.\n`)
  if (unreadable > 0) world.note(`${countOf(unreadable, 'session')} could not be read.\n`)
  return hits.length === 0 ? 1 : 0
}

function lineOf({ session, turn, kind, path, hunk, text, start }: SearchHit): string {
  const place = path === null ? '' : ` ${plain(path)}${hunk === null ? '' : `:${hunk}`}`
  const shown = start > leadLength ? `…${text.slice(start - leadLength)}` : text
  return `${session} ${turn ?? 'aside'} ${kind}${place}  ${plain(shown.trim())}\n`
}

function filterOf(line: CommandLine): SearchFilter {
  const workspace = line.text('workspace')
  return {
    agents: chosen(line.texts('agent'), agents, 'agent'),
    kinds: chosen(line.texts('kind'), searchKinds, 'kind'),
    workspace: workspace === null ? null : resolve(workspace),
    path: line.text('path'),
    from: timeOf(line.text('since'), 'since', 0),
    // A day counts to its end.
    to: timeOf(line.text('until'), 'until', dayMs - 1),
  }
}

function chosen<Choice extends string>(given: readonly string[], choices: readonly Choice[], option: string): readonly Choice[] | null {
  if (given.length === 0) return null
  return given.map((each) => {
    const choice = choices.find((one) => one === each)
    if (choice === undefined) throw new UsageError(`--${option} is one of ${choices.join(', ')}.`)
    return choice
  })
}

/** A day (`2026-01-31`) in this computer's time, or a moment with its time. */
function timeOf(given: string | null, option: string, inDayMs: number): number | null {
  if (given === null) return null
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}.*)?$/.exec(given) ?? []
  const isDay = time === undefined
  const at = day === undefined ? NaN : Date.parse(isDay ? `${given}T00:00` : given)
  // A day that its month does not have would be another one.
  if (!Number.isFinite(at) || day === undefined || new Date(`${day}T00:00Z`).toISOString().slice(0, 10) !== day) throw new UsageError(`--${option} is a date, such as 2026-01-31.`)
  return isDay ? at + inDayMs : at
}

function limitOf(given: string | null): number {
  if (given === null) return usualLimit
  if (!/^[1-9]\d{0,6}$/.test(given)) throw new UsageError('--limit is a number from 1 on.')
  return Number(given)
}
