import { addStat, countChanges, type DiffStat } from '../../shared/changes.js'
import type { LedgerChange } from '../../shared/ledger.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import { countedText, type ResultDisplay } from '../history/call-display.js'
import { decodeText } from '../workspace/text-decoding.js'

/** What of an answer is kept for people in the session's log. */
export async function displayOfAnswer(
  call: { readonly tool: string; readonly args: unknown },
  { structured }: ToolAnswer,
  { directory, changes, read }: { readonly directory: string; readonly changes: readonly LedgerChange[]; readonly read: (sha256: string) => Promise<Uint8Array> },
): Promise<ResultDisplay> {
  const [change, second] = changes
  const diff = structured['diff']
  if (change && !second && typeof diff === 'string') {
    const [before, after] = await Promise.all([textOf(change.before, read), textOf(change.after, read)])
    if (before !== undefined && after !== undefined) return { kind: 'edit', path: change.path, before, after, diff }
  }
  const { exit_code: exitCode, stdout, stderr, signal } = structured
  if (typeof stdout === 'string' && typeof stderr === 'string' && structured['simulated'] !== true) {
    return {
      kind: 'command',
      command: commandOf(call.args),
      directory,
      exitCode: typeof exitCode === 'number' ? exitCode : null,
      signal: typeof signal === 'string' ? signal : null,
      outcome: structured['timed_out'] === true ? 'timed-out' : structured['status'] === 'failed' ? 'cancelled' : 'completed',
      output: stderr === '' ? stdout : `${stdout}\n${stderr}`,
      isCut: structured['output_is_cut'] === true,
    }
  }
  return { kind: 'none' }
}

/** More files than this are not compared for a count. */
const countedFiles = 64

/** Lines that a call changed in the files that have a text; `null` where there are too many to compare them. */
export async function changedLines(changes: readonly LedgerChange[], read: (sha256: string) => Promise<Uint8Array>): Promise<DiffStat | null> {
  if (changes.length === 0 || changes.length > countedFiles) return null
  let stat: DiffStat = { insertions: 0, deletions: 0 }
  let left = countedText
  for (const change of changes) {
    const sides = [change.before, change.after]
    left -= sides.reduce((sum, state) => sum + (state.kind === 'file' ? state.sizeBytes : 0), 0)
    if (left < 0) return null
    const [before, after] = await Promise.all(sides.map((state) => textOf(state, read)))
    if (before === undefined || after === undefined) continue
    stat = addStat(stat, countChanges(before ?? '', after ?? ''))
  }
  return stat
}

function commandOf(args: unknown): string {
  return typeof args === 'object' && args !== null && 'command' in args && typeof args.command === 'string' ? args.command : ''
}

/** `undefined` for what has no text. */
async function textOf(state: LedgerChange['before'], read: (sha256: string) => Promise<Uint8Array>): Promise<string | null | undefined> {
  if (state.kind === 'absent') return null
  if (state.kind !== 'file') return undefined
  const decoded = decodeText(await read(state.sha256))
  return decoded.kind === 'text' ? decoded.text : undefined
}
