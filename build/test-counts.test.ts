import { describe, expect, it } from 'vitest'
import { addCounts, formatCounts, orFailure, playwrightCounts, skippedTests, vitestCounts } from './test-counts.js'

const vitest = { success: true, numPassedTests: 5, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1, testResults: [{ assertionResults: [{ fullName: 'a rule', status: 'passed' }, { fullName: 'another rule', status: 'skipped' }] }] }
const playwright = { errors: [], stats: { expected: 4, unexpected: 1, flaky: 1, skipped: 2 } }

describe('test counts', () => {
  it('reads a report of vitest', () => {
    expect(vitestCounts(vitest)).toEqual({ passed: 5, failed: 0, skipped: 2 })
  })

  it('names the tests that did not run', () => {
    expect(skippedTests(vitest)).toEqual(['another rule'])
  })

  it('counts a test file that could not be loaded as failed', () => {
    expect(vitestCounts({ ...vitest, success: false }).failed).toBe(1)
  })

  it('reads a report of Playwright, where a second try is no success', () => {
    expect(playwrightCounts(playwright)).toEqual({ passed: 4, failed: 2, skipped: 2 })
  })

  it('counts an error outside the tests as failed', () => {
    expect(playwrightCounts({ ...playwright, errors: [{}] }).failed).toBe(3)
  })

  it('fails a runner that executed nothing, even when it skipped all', () => {
    expect(orFailure({ passed: 0, failed: 0, skipped: 9 })).toEqual({ passed: 0, failed: 1, skipped: 9 })
  })

  it('adds up and prints one line', () => {
    expect(formatCounts(addCounts([{ passed: 1, failed: 0, skipped: 2 }, { passed: 3, failed: 1, skipped: 0 }]))).toBe('4 passed, 1 failed, 2 skipped')
  })
})
