import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The unit tests have a temporary folder of their own, which is removed with whatever they left there.

let folder: string | null = null

export function setup(): void {
  // A short name: sockets lie below it, and their paths may have some hundred letters only.
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'o-'))
  process.env['TMPDIR'] = folder
}

export function teardown(): void {
  if (folder !== null) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
