import type { FileChange } from '../../shared/file-state.js'
import type { SessionSummary, ToolCall, TranscriptEntry, Turn } from '../../shared/session.js'
import { usageText, usageWords, type Usage } from '../../shared/usage.js'
import type { Opened } from '../review/workbench.js'
import type { CommandLine } from './arguments.js'
import { asJson, countOf, endText, plain, session as sessionWord, signed, timeOf } from './words.js'
import type { CommandWorld, ExitCode } from './world.js'

interface ShownTurn {
  readonly index: number | null
  readonly promptId: string
  readonly prompt: string
  readonly startedAt: number
  readonly usage: Usage | null
  readonly live: boolean
  readonly files: readonly { readonly path: string; readonly kind: string; readonly insertions: number | null; readonly deletions: number | null; readonly provenance: string }[]
  /** What the agent changed, call by call, where the session ran under us: `3.1` names the moment after the first of turn 3. */
  readonly steps: readonly { readonly at: string; readonly provenance: string; readonly paths: readonly string[] }[]
  readonly commands: readonly { readonly command: string; readonly status: string; readonly exitCode: number | null }[]
}

/** `show <session>`: all turns, those of branches that were set aside behind the live ones. */
export async function show(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const opened = await world.open(sessionWord(line))
  const aside = opened.recorded.setAside.flatMap((branch) => branch.turns)
  const turns: ShownTurn[] = []
  for (const turn of [...opened.recorded.turns, ...aside]) turns.push(await shownTurn(opened, turn, world.signal))
  const usage = await opened.recorded.usage(null, world.signal)
  const summary = { ...opened.summary(), usage }
  const problems = opened.recorded.problems.map(({ kind, count, detail, lines }) => ({ kind, count, detail, lines }))
  if (line.flag('json')) world.out(asJson({ session: summary, turns, problems }))
  else world.out(asText(summary, turns, problems))
  return 0
}

async function shownTurn(opened: Opened, turn: Turn, signal: AbortSignal): Promise<ShownTurn> {
  const [files, transcript, usage] = await Promise.all([
    opened.review.list({ kind: 'turn', promptId: turn.promptId }, { signal }),
    opened.recorded.readTurn(turn.promptId, signal),
    opened.recorded.usage(turn.promptId, signal),
  ])
  return {
    index: turn.index,
    promptId: turn.promptId,
    prompt: turn.prompt,
    startedAt: turn.startedAt,
    usage,
    live: turn.index !== null,
    files: files.map(({ path, kind, stat, cause }) => ({
      path,
      kind,
      insertions: stat?.insertions ?? null,
      deletions: stat?.deletions ?? null,
      provenance: cause,
    })),
    steps: await stepsOf(opened, turn, signal),
    commands: commandsOf(transcript),
  }
}

async function stepsOf({ review }: Opened, turn: Turn, signal: AbortSignal): Promise<ShownTurn['steps']> {
  const { steps, ledger } = review.contents.now()
  const at = steps.indexOf(turn.promptId)
  const found = at === null ? [] : ((await ledger(signal))?.steps(at) ?? [])
  return found.map(({ cause, paths }, index) => ({ at: `${turn.index}.${index + 1}`, provenance: cause, paths }))
}

function commandsOf(transcript: readonly TranscriptEntry[]): ShownTurn['commands'] {
  const calls = transcript.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : []))
  return calls.flatMap(withSubagents).flatMap(({ command, status }) =>
    command ? [{ command: command.text, status, exitCode: command.exitCode }] : [],
  )
}

const withSubagents = (call: ToolCall): readonly ToolCall[] => [call, ...(call.subagent?.calls ?? []).flatMap(withSubagents)]

function asText(summary: SessionSummary, turns: readonly ShownTurn[], problems: readonly { readonly detail: string }[]): string {
  const head = [summary.title, `${summary.agent} · ${summary.workspace ?? `${summary.recordedFolder ?? 'no folder'} (not here)`} · ${summary.id}`, ...factsOf(summary)]
  const blocks = turns.map((turn) => [
    `${turn.index ?? 'set aside'}  ${plain(turn.prompt)}  ${timeOf(turn.startedAt)}${usageText(turn.usage) === null ? '' : `  ${usageText(turn.usage)}`}`,
    ...turn.files.map((file) => `     ${letter[file.kind] ?? '?'} ${plain(file.path)}  ${signed(file)}  ${file.provenance}`),
    ...(turn.steps.length > 1 ? turn.steps.map(({ at, provenance, paths }) => `     ${at}  ${provenance} ${paths.slice(0, 3).map((path) => plain(path)).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`) : []),
    ...turn.commands.map((command) => `     $ ${plain(command.command)}${command.status === 'done' ? '' : `  (${command.status})`}`),
  ])
  const notes = problems.length === 0 ? [] : [['Problems in the log:', ...problems.map(({ detail }) => `  ${detail}`)]]
  const aside = turns.filter((turn) => !turn.live).length
  const sum = `${countOf(turns.length - aside, 'turn')}${aside > 0 ? `, ${aside} set aside` : ''}`
  return `${[head, ...blocks, ...notes, [sum]].map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** What the record tells beside: tokens and cost, and that the session is over. */
function factsOf({ usage, end }: SessionSummary): readonly string[] {
  const ended = endText(end)
  return [...(usage ? [usageWords(usage).join(' · ')] : []), ...(ended === null ? [] : [ended])]
}

const letter: Partial<Record<string, string>> = { added: 'A', modified: 'M', deleted: 'D', mode: 'X', unknown: '?', refused: '!' } satisfies Record<FileChange['kind'], string>
