import { stripVTControlCharacters } from 'node:util'
import { parseCargo, parseDotnet, parseGo, parseGoJson, parseGradle, parseMaven } from './test-reports/compiled.js'
import { parseJest, parseMocha, parseNodeTest, parseVitest } from './test-reports/javascript.js'
import { parsePytest, parseUnittest } from './test-reports/python.js'
import type { ReportParser, TestResults } from './test-reports/report.js'
import { parsePhpunit, parseRspec } from './test-reports/scripting.js'
import { parseTap } from './test-reports/tap.js'

export type { TestFailure, TestResults } from './test-reports/report.js'

/** What a test run found. */
export interface TestReport extends TestResults {
  /** The command failed although no test did: a coverage goal, a crash at the end, or another part of the command. */
  readonly hasOtherFailure: boolean
}

/** Each knows one runner by lines that only this one prints. TAP comes last: others may print it in part. */
const parsers: readonly (readonly [word: string, parse: ReportParser])[] = [
  ['vitest', parseVitest],
  ['jest', parseJest],
  ['node', parseNodeTest],
  ['pytest', parsePytest],
  ['unittest', parseUnittest],
  ['go', parseGoJson],
  ['go', parseGo],
  ['cargo', parseCargo],
  ['dotnet', parseDotnet],
  ['mvn', parseMaven],
  ['gradle', parseGradle],
  ['phpunit', parsePhpunit],
  ['rspec', parseRspec],
  ['mocha', parseMocha],
  ['tap', parseTap],
]

const maxFailures = 200
const maxMessageLength = 2_000

/**
 * What a test run found, from the default output of vitest, Jest, Mocha, node:test, TAP, pytest, unittest, go test (also `-json`),
 * cargo test, dotnet test, Maven, Gradle, PHPUnit or RSpec; `null` when it is none of these or its end is missing. Nothing is guessed:
 * a count that the runner does not print is `null`. Where several runners ran, the one that `command` names counts.
 */
export function parseTestResults(command: string, stdout: string, stderr: string, exitCode: number | null): TestReport | null {
  const text = stripVTControlCharacters(`${stdout}\n${stderr}`).replaceAll('\r\n', '\n')
  const isNamed = (word: string): boolean => new RegExp(`\\b${word}\\b`).test(command)
  const inOrder = [...parsers.filter(([word]) => isNamed(word)), ...parsers.filter(([word]) => !isNamed(word))]
  for (const [, parse] of inOrder) {
    const results = parse(text)
    if (!results) continue
    const failures = results.failures.slice(0, maxFailures).map((each) => ({ ...each, message: each.message.slice(0, maxMessageLength) }))
    return { ...results, failures, hasOtherFailure: exitCode !== 0 && results.failed === 0 }
  }
  return null
}
