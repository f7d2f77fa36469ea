import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../base/disk-errors.js'
import { replaceDataFile } from '../base/data-files.js'
import { newSecret } from '../base/secrets.js'

/**
 * The bearer token of the loopback endpoint, which agents keep in their settings: made once, then the same at each start.
 * Whoever removes the file `agent-token` gets a new one.
 * Errors: DISK_FULL, DATA_FOLDER_UNWRITABLE.
 */
export async function agentToken(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'agent-token')
  try {
    const token = (await readFile(file, 'utf8')).trim()
    if (/^[\w-]{43}$/.test(token)) return token
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
  }
  const token = newSecret()
  await replaceDataFile(file, `${token}\n`)
  return token
}
