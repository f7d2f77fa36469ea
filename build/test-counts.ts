// Reads what the test runners report, and adds it up.

/** Tests of one runner. */
export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const noTests: Counts = { passed: 0, failed: 0, skipped: 0 }

/** The part of vitest's JSON report that counts. */
export interface VitestReport {
  readonly success: boolean
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly { readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[] }[]
}

/** The part of Playwright's JSON report that counts. */
export interface PlaywrightReport {
  readonly errors: readonly unknown[]
  readonly stats: { readonly expected: number; readonly unexpected: number; readonly flaky: number; readonly skipped: number }
}

/** A file that could not be loaded fails the run without a failed test; it counts as one. */
export function vitestCounts(report: VitestReport): Counts {
  const hasHiddenFailure = !report.success && report.numFailedTests === 0
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + (hasHiddenFailure ? 1 : 0),
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/** Names of the tests that did not run here; nobody should take them for passed. */
export function skippedTests({ testResults }: VitestReport): readonly string[] {
  return testResults.flatMap(({ assertionResults }) => assertionResults).flatMap(({ fullName, status }) => (status === 'passed' || status === 'failed' ? [] : [fullName]))
}

/** A test that passed only when tried again counts as failed, and so does each error outside the tests. */
export function playwrightCounts({ stats, errors }: PlaywrightReport): Counts {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length, skipped: stats.skipped }
}

/** A runner that executed nothing has proved nothing: that is a failure. */
export function orFailure(counts: Counts): Counts {
  return counts.passed + counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

export function addCounts(all: readonly Counts[]): Counts {
  return all.reduce(
    (sum, counts) => ({ passed: sum.passed + counts.passed, failed: sum.failed + counts.failed, skipped: sum.skipped + counts.skipped }),
    noTests,
  )
}

export function formatCounts({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
