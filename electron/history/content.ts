import type { FileState } from '../../shared/file-state.js'

/**
 * What a path was at one moment, as far as it is known, with its bytes on demand.
 *
 * Errors of `read`: valid for `state.kind` `file` only, CONTENT_UNKNOWN for the others; BACKUP_MISSING or BACKUP_DAMAGED
 * when the bytes are gone or no longer match their hash.
 */
export interface KnownContent {
  readonly state: FileState
  read(signal?: AbortSignal): Promise<Uint8Array>
}
