import { readFile } from 'node:fs/promises'
import { posix, resolve, win32, join } from 'node:path'
import { z } from 'zod'
import { ReviewError } from '../../shared/errors.js'
import { makePrivateFolder, replaceDataFile } from './data-files.js'
import { isMissing } from './disk-errors.js'
import { placesIn } from './json-places.js'
import { takeLock, type ProcessLock } from './process-lock.js'

/** Where our data lies: what the environment says, else the system's usual place. Nothing is made or looked at. */
export function dataFolderPath(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  home: string,
): string {
  const ours = environment['OVERTURN_DATA_DIR']
  if (ours) return resolve(ours)
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'Overturn')
  if (platform === 'win32') return win32.join(environment['APPDATA'] ?? win32.join(home, 'AppData', 'Roaming'), 'Overturn')
  const xdg = environment['XDG_DATA_HOME']
  return posix.join(xdg && posix.isAbsolute(xdg) ? xdg : posix.join(home, '.local', 'share'), 'overturn')
}

/**
 * Makes the data folder, mode 0700, and its parents.
 * Errors: DATA_FOLDER_UNWRITABLE.
 */
export function openDataFolder(folder: string): void {
  try {
    makePrivateFolder(folder)
  } catch (thrown) {
    throw new ReviewError('DATA_FOLDER_UNWRITABLE', 'The data folder cannot be made. Free its place, or choose another with OVERTURN_DATA_DIR.', {
      details: { folder },
      cause: thrown,
    })
  }
}

const settingsShape = z.looseObject({
  /** Session id to the folder that a person attached to it. */
  attachments: z.record(z.string(), z.string().min(1)).default({}),
  /** Folders and logs that a person added to the library. */
  locations: z.array(z.string().min(1)).default([]),
  /** Backups beyond this size are pruned, as far as no undo needs them. */
  historyLimitBytes: z.number().int().min(0).default(2_000_000_000),
  /** Sessions of ours that did nothing for so long give their backups up; `null` for no such limit. */
  historyMaxAgeDays: z.number().int().min(1).nullable().default(365),
})

export interface Settings {
  readonly attachments: Readonly<Record<string, string>>
  readonly locations: readonly string[]
  readonly historyLimitBytes: number
  readonly historyMaxAgeDays: number | null
}

export interface SettingsStore {
  /** The last good settings. */
  current(): Settings
  /** What is wrong with the file, with its line, in one sentence; `null` while it is good. */
  problem(): string | null
  /** Reads the file again. A bad one changes `problem()` and nothing else. */
  reload(): Promise<Settings>
  /**
   * Reads the file, applies the change, writes it as a whole. Fields that this version does not know stay.
   * Errors: INVALID_PARAMS with `details.line` while the file is bad (it is never overwritten), DISK_FULL, DATA_FOLDER_UNWRITABLE.
   */
  update(change: (settings: Settings) => Settings): Promise<Settings>
}

/** Opens `settings.json` of the data folder. A bad file never stops the app: the last good settings count meanwhile. */
export async function openSettings(folder: string): Promise<SettingsStore> {
  const file = join(folder, 'settings.json')
  // A copy of the last good file, so that a slip of the pen costs nothing after a restart either.
  const goodFile = join(folder, 'settings.good.json')
  let good = await readSettings(goodFile).catch(() => settingsShape.parse({}))
  let problem: ReviewError | null = null
  let queue: Promise<unknown> = Promise.resolve()

  const reload = async (): Promise<Settings> => {
    try {
      good = await readSettings(file)
      problem = null
    } catch (thrown) {
      if (!(thrown instanceof ReviewError)) throw thrown
      problem = thrown
    }
    return good
  }

  const update = async (change: (settings: Settings) => Settings): Promise<Settings> => {
    const lock = await waitForLock(`${file}.lock`)
    try {
      await reload()
      if (problem) throw problem
      const next = settingsShape.parse({ ...good, ...change(good) })
      const text = `${JSON.stringify(next, null, 2)}\n`
      await replaceDataFile(file, text)
      await replaceDataFile(goodFile, text)
      good = next
      return good
    } finally {
      lock?.release()
    }
  }

  await reload()
  return {
    current: () => good,
    problem: () => problem?.message ?? null,
    reload,
    update: (change) => {
      const next = queue.then(() => update(change))
      queue = next.catch(() => undefined)
      return next
    },
  }
}

async function readSettings(file: string): Promise<z.output<typeof settingsShape>> {
  let text: string
  try {
    text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (thrown) {
    if (isMissing(thrown)) return settingsShape.parse({})
    throw refusal(1, 'cannot be read', thrown)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (thrown) {
    throw refusal(placesIn(text).faultLine ?? 1, 'is no JSON there', thrown)
  }
  const parsed = settingsShape.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const where = issue?.path ?? []
  throw refusal(placesIn(text).lineOf(where), `has a wrong value at ${where.map(String).join('.') || 'its top'} (${issue?.message ?? 'unknown'})`, parsed.error)
}

function refusal(line: number, what: string, cause: unknown): ReviewError {
  return new ReviewError('INVALID_PARAMS', `settings.json, line ${line}: the file ${what}. Correct it; until then the last good settings count.`, {
    details: { line },
    cause,
  })
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
