import type { RecognisedSed } from '../edits/sed-command.js'
import type { SedRunner } from '../edits/sed-runner.js'
import type { SedOutcome } from '../sessions/session-reader.js'
import { sha256 } from './held.js'
import { RecentBytes } from './recent.js'

/** Of the machine's locale a log says nothing: an outcome counts where it is the same in all of these. */
const locales = ['C.UTF-8', 'en_US.UTF-8', 'C']
const keptBytes = 16 * 1024 * 1024
const keptRefusals = 1_000
const newline = 0x0a

/** Keeps the latest outcomes. The sed of macOS may end a last line that had no end, so there its end must be known. Without a runner none is certain. */
export function createSedOutcomes(runner: SedRunner | null): SedOutcome {
  const known = new RecentBytes(keptBytes)
  const refused = new Set<string>()
  return async (parsed, before, signal) => {
    if (!runner || (parsed.isMacForm && before.at(-1) !== newline)) return null
    const key = sha256(JSON.stringify([sha256(before), parsed]))
    const kept = known.get(key)
    if (kept || refused.has(key)) return kept ?? null
    const after = await outcomeInAll(runner, parsed, before, signal)
    if (after) known.set(key, after)
    else if (refused.size < keptRefusals) refused.add(key)
    return after
  }
}

async function outcomeInAll(runner: SedRunner, parsed: RecognisedSed, before: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array | null> {
  let agreed: Uint8Array | null = null
  for (const locale of locales) {
    const edit = await runner.apply(before, parsed, { locale, signal })
    if (edit.kind === 'declined' || (agreed && Buffer.compare(agreed, edit.bytes) !== 0)) return null
    agreed = edit.bytes
  }
  return agreed
}
