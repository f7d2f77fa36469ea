/** What a look at one backup yields. Only `bytes` may ever be written anywhere. */
export type BackupContent =
  /** `mode` holds the permission bits of the file when it was copied; `null` where the source cannot tell. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly mode: number | null }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'missing' }
  /** There, but its content does not match its name, or it cannot be read. */
  | { readonly kind: 'damaged'; readonly reason: string }

/**
 * Where a session's backups lie: the recording agent's own folder, or our store. Read only.
 * A name is hostile text from a log: one that would leave the folder, or a link inside it, counts as missing.
 */
export interface BackupSource {
  read(backupName: string, signal?: AbortSignal): Promise<BackupContent>
  /** Size in bytes without reading it; `null` when it is not there. */
  sizeOf(backupName: string): Promise<number | null>
}
