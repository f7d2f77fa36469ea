import type { ErrorCode } from '../../shared/errors.js'
import { isAbort, ReviewError } from '../../shared/errors.js'

/** The system's short name of a failed disk operation (`ENOENT`, …), or `null` for anything else thrown. */
export function systemCode(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('code' in thrown)) return null
  return typeof thrown.code === 'string' ? thrown.code : null
}

/** Whether the failure only says that nothing is there. */
export function isMissing(thrown: unknown): boolean {
  const code = systemCode(thrown)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

const codes: Readonly<Record<string, ErrorCode>> = {
  ENOENT: 'FILE_NOT_FOUND',
  ENOTDIR: 'FILE_NOT_FOUND',
  ENOSPC: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EACCES: 'PERMISSION_DENIED',
  EPERM: 'PERMISSION_DENIED',
  EROFS: 'PERMISSION_DENIED',
}

const sentences: Readonly<Partial<Record<ErrorCode, string>>> = {
  FILE_NOT_FOUND: 'is no longer there. Look at the present state and try again.',
  DISK_FULL: 'could not be written because the disk is full. Free some space and try again.',
  PERMISSION_DENIED: 'may not be read or written by this user. Change its permissions and try again.',
}

/**
 * A failed disk operation as an error of ours; what is one already, or an abort, comes back as it is.
 *
 * Shape: `name` is how the message calls the file, never an absolute path outside the workspace.
 */
export function diskError(thrown: unknown, name: string): Error {
  if (thrown instanceof ReviewError || isAbort(thrown)) return thrown as Error
  const system = systemCode(thrown)
  const code = (system === null ? undefined : codes[system]) ?? 'FILE_UNREADABLE'
  const sentence = sentences[code] ?? `could not be read or written (${system ?? 'unknown reason'}). Check the disk and try again.`
  return new ReviewError(code, `${name} ${sentence}`, { cause: thrown })
}

/**
 * A failed write into the data folder as an error of ours: DISK_FULL, or DATA_FOLDER_UNWRITABLE whatever else the system says. What is
 * one already, an abort, or no failure of the disk comes back as it is.
 *
 * Shape: `name` is what could not be written, in the middle of a sentence.
 */
export function dataFolderError(thrown: unknown, name: string): Error {
  const system = systemCode(thrown)
  if (system === null || thrown instanceof ReviewError || isAbort(thrown)) return thrown instanceof Error ? thrown : new Error(String(thrown))
  if (codes[system] === 'DISK_FULL') return diskError(thrown, `${name.charAt(0).toUpperCase()}${name.slice(1)}`)
  return new ReviewError('DATA_FOLDER_UNWRITABLE', `The data folder cannot be written. The system answers ${system} for ${name}. Mend the folder's permissions, free its place, or choose another one with OVERTURN_DATA_DIR.`, {
    cause: thrown,
  })
}

/** Whether work ended because its signal fired. */
export function isCancelled(thrown: unknown): boolean {
  return isAbort(thrown) || (thrown instanceof ReviewError && thrown.code === 'CANCELLED')
}
