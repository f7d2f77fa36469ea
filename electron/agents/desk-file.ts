import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { ReviewError } from '../../shared/errors.js'
import { isMissing } from '../base/disk-errors.js'
import { takeLock } from '../base/process-lock.js'

const deskShape = z.object({
  pid: z.number().int(),
  socket: z.string().min(1),
  token: z.string().min(1),
  startedAt: z.number().int(),
  version: z.string(),
  httpPort: z.number().int().nullable(),
})

/** Where the host that owns the desk is reached; `token` opens its socket. Only this user can read the file that holds it. */
export type DeskFacts = z.output<typeof deskShape>

export function deskFile(dataFolder: string): string {
  return join(dataFolder, 'desk.json')
}

/** What `desk.json` says, which may be about a host that died; `null` without one. */
export async function readDeskFacts(dataFolder: string): Promise<DeskFacts | null> {
  try {
    return deskShape.parse(JSON.parse(await readFile(deskFile(dataFolder), 'utf8')))
  } catch (thrown) {
    if (isMissing(thrown) || thrown instanceof SyntaxError || thrown instanceof z.ZodError) return null
    throw new ReviewError('PERMISSION_DENIED', 'desk.json in the data folder cannot be read by this user. Change its permissions and try again.', {
      cause: thrown,
    })
  }
}

/** The right to hold the desk of a data folder. */
export interface DeskClaim {
  readonly dataFolder: string
  readonly release: () => void
}

/** Claims the desk for this process: one host for each user and data folder holds it. `null` while a living process does. */
export function claimDesk(dataFolder: string): DeskClaim | null {
  const lock = takeLock(join(dataFolder, 'desk.lock'), '')
  return lock && { dataFolder, release: () => lock.release() }
}

/** A socket's path has 104 bytes on macOS and 108 on Linux, with its closing zero. */
const maxSocketPathBytes = 100

/**
 * Where the desk of a data folder listens: in the folder itself, or, where that path is too long for a socket, under a hashed
 * name in a folder that only this user can enter, which is made. Windows has pipes by name.
 * Errors: PERMISSION_DENIED when that folder belongs to somebody else.
 */
export function socketPath(dataFolder: string, platform: NodeJS.Platform, environment: Readonly<Record<string, string | undefined>>): string {
  const hash = createHash('sha256').update(dataFolder).digest('hex').slice(0, 24)
  if (platform === 'win32') return `\\\\.\\pipe\\overturn-${hash}`
  const plain = join(dataFolder, 'desk.sock')
  if (Buffer.byteLength(plain) <= maxSocketPathBytes) return plain
  return join(privateFolder(environment['XDG_RUNTIME_DIR']), `overturn-${hash}.sock`)
}

function privateFolder(runtimeFolder: string | undefined): string {
  if (runtimeFolder && isPrivate(runtimeFolder) && runtimeFolder.length <= 50) return runtimeFolder
  const { uid } = userInfo()
  const folder = join(tmpdir().length <= 40 ? tmpdir() : '/tmp', `overturn-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (isPrivate(folder)) return folder
  throw new ReviewError('PERMISSION_DENIED', `The folder ${folder} is open to other users. Remove it, or choose a data folder with a shorter path.`)
}

/** Whether a folder, itself and no link, belongs to this user and is closed to all others. */
function isPrivate(folder: string): boolean {
  const facts = lstatSync(folder, { throwIfNoEntry: false })
  return facts !== undefined && facts.isDirectory() && facts.uid === userInfo().uid && (facts.mode & 0o077) === 0
}
