import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const manifest = z.object({ scripts: z.record(z.string(), z.string()).optional() })

/** The command that runs a folder's tests, by the files that lie in it; `null` where none is known. */
export function testCommand(root: string): string | null {
  const has = (name: string): boolean => existsSync(join(root, name))
  if (has('package.json') && hasTestScript(root)) return 'npm test --silent'
  if (has('go.mod')) return 'go test ./...'
  if (has('Cargo.toml')) return 'cargo test'
  if (has('pytest.ini') || has('pyproject.toml') || has('setup.cfg') || has('tests')) return 'python3 -m pytest -q'
  return null
}

function hasTestScript(root: string): boolean {
  try {
    const parsed = manifest.safeParse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
    return parsed.success && parsed.data.scripts?.['test'] !== undefined
  } catch {
    return false
  }
}
