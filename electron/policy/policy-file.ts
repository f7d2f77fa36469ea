import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import type { PolicySettings } from '../../shared/policy.js'
import { replaceDataFile } from '../base/data-files.js'
import { isMissing } from '../base/disk-errors.js'
import { placesIn } from '../base/json-places.js'
import type { Log } from '../base/log.js'
import { takeLock, type ProcessLock } from '../base/process-lock.js'
import { defaultPolicy, policyShape } from './policy-shape.js'

/** What is wrong with the policy file. */
export interface PolicyProblem {
  /** 1-based. */
  readonly line: number
  readonly message: string
}

export interface PolicyFile {
  /** Absolute; need not exist while nothing was set. */
  readonly file: string
  /** The last good settings. A file that changed since is read first. */
  current(): PolicySettings
  /** `null` while the file is good, or there is none. */
  problem(): PolicyProblem | null
  /** Reads the file again. A bad one changes `problem()` and nothing else. */
  reload(): Promise<void>
  /**
   * Applies a change to what the file says now and writes it as a whole.
   * Errors: POLICY_INVALID with `details.line` while the file is bad (it is never overwritten), or when the changed settings
   * would not be valid; DISK_FULL, DATA_FOLDER_UNWRITABLE.
   */
  update(change: (settings: PolicySettings) => PolicySettings): Promise<PolicySettings>
}

const maxBytes = 4_000_000

/** Opens `policy.json` of the data folder. A bad file never stops the app: the last good settings hold, also after a restart. */
export function openPolicyFile(dataFolder: string, log: Log): PolicyFile {
  const file = join(dataFolder, 'policy.json')
  const goodFile = join(dataFolder, 'policy.last-good.json')
  let good: PolicySettings = lastGood(goodFile)
  let problem: PolicyProblem | null = null
  /** How the file looked when it was read; `null` for no file. */
  let seen: string | null | undefined
  let queue: Promise<unknown> = Promise.resolve()

  const read = (): void => {
    seen = stampOf(file)
    const found = readPolicy(file)
    if (found.kind === 'good') {
      good = found.settings
      problem = null
      return
    }
    if (found.problem.message !== problem?.message) log.warn('policy.refused', { line: found.problem.line, message: found.problem.message })
    problem = found.problem
  }

  const keepGood = async (): Promise<void> => {
    if (problem || seen === null) return
    const text = `${JSON.stringify(good, null, 2)}\n`
    try {
      if (textOf(goodFile) !== text) await replaceDataFile(goodFile, text)
    } catch (thrown) {
      log.error('policy.copy-failed', thrown)
    }
  }

  const freshen = (): void => {
    if (stampOf(file) === seen) return
    read()
    queue = queue.then(keepGood, keepGood)
  }

  const update = async (change: (settings: PolicySettings) => PolicySettings): Promise<PolicySettings> => {
    const lock = await waitForLock(`${file}.lock`)
    try {
      read()
      if (problem) throw new ReviewError('POLICY_INVALID', problem.message, { details: { line: problem.line } })
      const next = policyShape.safeParse(change(good))
      if (!next.success)
        throw new ReviewError('POLICY_INVALID', `The policy would not be valid: ${sentenceOf(next.error.issues[0])}. Nothing was changed.`, {
          cause: next.error,
        })
      await replaceDataFile(file, readable(next.data))
      seen = stampOf(file)
      good = next.data
      await keepGood()
      return good
    } finally {
      lock?.release()
    }
  }

  freshen()
  return {
    file,
    current: () => {
      freshen()
      return good
    },
    problem: () => {
      freshen()
      return problem
    },
    reload: async () => {
      read()
      await queue
      await keepGood()
    },
    update: (change) => {
      const next = queue.then(() => update(change))
      queue = next.catch(() => undefined)
      return next
    },
  }
}

type Read = { readonly kind: 'good'; readonly settings: PolicySettings } | { readonly kind: 'bad'; readonly problem: PolicyProblem }

function readPolicy(file: string): Read {
  const bad = (line: number, what: string): Read => ({
    kind: 'bad',
    problem: { line, message: `policy.json, line ${line}: ${what}. Correct it; until then the last good policy holds.` },
  })
  let text: string | null
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) return bad(1, 'the file is too large')
    text = textOf(file)
  } catch {
    return bad(1, 'the file cannot be read')
  }
  if (text === null) return { kind: 'good', settings: defaultPolicy }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return bad(placesIn(text).faultLine ?? 1, 'the text is no JSON there')
  }
  const parsed = policyShape.safeParse(value)
  if (parsed.success) return { kind: 'good', settings: parsed.data }
  const [issue] = parsed.error.issues
  const unknownKey = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return bad(placesIn(text).lineOf([...(issue?.path ?? []), ...unknownKey]), sentenceOf(issue))
}

function sentenceOf(issue: { readonly path: readonly PropertyKey[]; readonly message: string } | undefined): string {
  const where = issue?.path.map(String).join('.')
  return `${where ? `${where} has a wrong value` : 'the settings are wrong'} (${issue?.message ?? 'unknown'})`
}

function lastGood(file: string): PolicySettings {
  const found = readPolicy(file)
  return found.kind === 'good' ? found.settings : defaultPolicy
}

/** The text of a file, or `null` for none. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (thrown) {
    if (isMissing(thrown)) return null
    throw thrown
  }
}

function stampOf(file: string): string | null {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : null
  } catch {
    return 'unreadable'
  }
}

/** Only what differs from the defaults, so that the file stays short and later defaults are not shut out. */
function readable(settings: PolicySettings): string {
  const usual = new Map<string, unknown>(Object.entries(defaultPolicy))
  const told = Object.entries(settings).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual.get(key)))
  return `${JSON.stringify(Object.fromEntries(told), null, 2)}\n`
}

/** Another window may be writing for a moment; after a second its write is the older one in any case. */
async function waitForLock(file: string): Promise<ProcessLock | null> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const lock = takeLock(file, '')
    if (lock) return lock
    await new Promise((resolveWait) => setTimeout(resolveWait, 50))
  }
  return null
}
