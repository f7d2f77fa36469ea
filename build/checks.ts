// What `npm run check` and `npm test` check without running the app: types, import rules and lint.

import { spawnSync } from 'node:child_process'
import { checkImports } from './check-imports.js'
import { minModuleCount } from './import-rules.js'

export interface Step {
  readonly name: string
  readonly isPassed: boolean
}

/** Runs the three checks of the project in the working folder and prints what each finds; none stops the others. */
export async function runChecks(): Promise<readonly Step[]> {
  return [
    // The path says which: two installed packages provide a command `tsc`.
    { name: 'types', isPassed: runNode('node_modules/typescript7/bin/tsc', '-b') },
    { name: 'imports', isPassed: await importsAreAllowed() },
    { name: 'lint', isPassed: runNode('node_modules/oxlint/bin/oxlint') },
  ]
}

function runNode(script: string, ...args: readonly string[]): boolean {
  return spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' }).status === 0
}

async function importsAreAllowed(): Promise<boolean> {
  const { moduleCount, violations } = await checkImports(process.cwd())
  for (const violation of violations) process.stdout.write(`${violation}\n`)
  if (moduleCount < minModuleCount) process.stdout.write(`Only ${moduleCount} source files were found: the import check looked in the wrong place.\n`)
  return violations.length === 0 && moduleCount >= minModuleCount
}
