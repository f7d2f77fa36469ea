// What `npm test` runs: the checks, the unit tests, a build, and the end-to-end tests in both hosts. Every part runs,
// whatever the others say, except that without a build there is nothing to test end to end.
// The last line is the sum: `N passed, N failed, N skipped`.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { runChecks } from './checks.js'
import {
  addCounts,
  formatCounts,
  orFailure,
  playwrightCounts,
  skippedTests,
  vitestCounts,
  type Counts,
  type PlaywrightReport,
  type VitestReport,
} from './test-counts.js'
import { findTestElectron } from './test-electron.js'

const reports = resolve('test-results')
const failed: Counts = { passed: 0, failed: 1, skipped: 0 }

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function runNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): boolean {
  return spawnSync(process.execPath, [...args], { stdio: 'inherit', env: { ...process.env, ...env } }).status === 0
}

function readReport<Report>(name: string): Report | null {
  const file = resolve(reports, name)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : null
}

async function checkSteps(): Promise<Counts> {
  const steps = await runChecks()
  return addCounts(steps.map(({ isPassed }) => (isPassed ? { passed: 1, failed: 0, skipped: 0 } : failed)))
}

function unitTests(): Counts {
  const isGreen = runNode(['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', '--reporter=json', `--outputFile.json=${resolve(reports, 'unit.json')}`])
  const report = readReport<VitestReport>('unit.json')
  for (const name of report ? skippedTests(report) : []) process.stdout.write(`Skipped here: ${name}\n`)
  return report === null ? failed : atLeastAsBad(vitestCounts(report), isGreen)
}

function endToEndTests(project: string): Counts {
  const name = `${project}.json`
  const isGreen = runNode(['node_modules/@playwright/test/cli.js', 'test', '-c', 'e2e/playwright.config.ts', `--project=${project}`], {
    PLAYWRIGHT_JSON_OUTPUT_FILE: resolve(reports, name),
  })
  const report = readReport<PlaywrightReport>(name)
  return report === null ? failed : atLeastAsBad(playwrightCounts(report), isGreen)
}

/** A runner that ends badly without a failed test has failed all the same. */
function atLeastAsBad(counts: Counts, isGreen: boolean): Counts {
  return isGreen || counts.failed > 0 ? counts : { ...counts, failed: 1 }
}

async function electronTests(): Promise<Counts> {
  const electron = await findTestElectron(process.env)
  if (electron.kind === 'none') {
    say(`Project electron is skipped: ${electron.reason}`)
    return { passed: 0, failed: 0, skipped: 1 }
  }
  say(`Project electron runs on ${electron.isOfficial ? 'the official' : 'the test runtime of'} Electron ${electron.version}.`)
  return orFailure(endToEndTests('electron'))
}

rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const results: [name: string, counts: Counts][] = []
results.push(['check', orFailure(await checkSteps())])
results.push(['unit', orFailure(unitTests())])
const isBuilt = runNode(['build/bootstrap.cjs', '--build'])
results.push(['build', isBuilt ? { passed: 1, failed: 0, skipped: 0 } : failed])
if (isBuilt) {
  results.push(['web', orFailure(endToEndTests('web'))])
  results.push(['electron', await electronTests()])
}

say('')
for (const [name, counts] of results) say(`${name}: ${formatCounts(counts)}`)
const sum = addCounts(results.map(([, counts]) => counts))
process.exitCode = sum.failed === 0 ? 0 : 1
say(formatCounts(sum))
