import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of the backup store. */
export interface KeptFile {
  readonly file: string
  readonly name: string
  readonly sizeBytes: number
  readonly mtimeMs: number
}

/** What is younger stays as it is: another process may be about to name it. */
export const youngMs = 3_600_000

/** Every file of the store, also what a crash left aside, which no record can name and which pruning takes first. */
export async function keptFiles(root: string): Promise<KeptFile[]> {
  const folders = ['aside', 'packs', 'blobs'].map((name) => join(root, name))
  const kept: KeptFile[] = []
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const file = join(folder, name)
      const stats = await stat(file).catch(() => null)
      if (stats?.isFile()) kept.push({ file, name, sizeBytes: stats.size, mtimeMs: stats.mtimeMs })
    }
  }
  return kept
}

export function totalBytes(kept: readonly KeptFile[]): number {
  return kept.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
