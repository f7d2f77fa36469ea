import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Gives the unit tests a temporary folder of their own, and removes it with whatever they left there. */
export default function setup(): () => void {
  // A short name: sockets lie below it, and their paths may have some hundred letters only.
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'o-'))
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  return () => {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
