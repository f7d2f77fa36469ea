import { blocks, countBefore, lastMatch, messageBefore, placeIn, type ReportParser, type TestFailure } from './report.js'

const stackPlace = /^\s+at .*?\(?(?:file:\/\/)?((?:[A-Za-z]:)?[^\s():]+):(\d+):\d+\)?$/m
const stackLine = /^\s+at /m

export const parseVitest: ReportParser = (text) => {
  const tests = lastMatch(text, /^ +Tests {2}(.+)$/gm)?.[1]
  if (tests === undefined || !/^ Test Files {2}/m.test(text)) return null
  const failedFiles = Number(lastMatch(text, /⎯ Failed Suites (\d+) ⎯/g)?.[1] ?? 0)
  const failures = blocks(text, /^ FAIL {2}(?:\|[^|\n]+\| )?(.+)$/gm).map(({ opening, body }): TestFailure => {
    const [file = '', ...names] = (opening[1] ?? '').replace(/ \[ .* \]$/, '').split(' > ')
    const place = placeIn(body, /^ ❯ (?:.* )?([^\s:]+):(\d+):\d+$/m)
    return { name: names.length > 0 ? names.join(' > ') : file, file, line: place.line, message: messageBefore(body, /^ ❯ |^⎯⎯/m) }
  })
  return {
    runner: 'vitest',
    passed: countBefore(tests, 'passed'),
    failed: countBefore(tests, 'failed') + failedFiles,
    skipped: countBefore(tests, 'skipped') + countBefore(tests, 'todo') + countBefore(tests, 'expected fail'),
    failures,
  }
}

export const parseJest: ReportParser = (text) => {
  const tests = lastMatch(text, /^Tests: +(.*\d+ total)$/gm)?.[1]
  const suites = lastMatch(text, /^Test Suites: +(.*\d+ total)$/gm)?.[1]
  if (tests === undefined || suites === undefined) return null
  const failures = new Map<string, TestFailure>()
  let filesNotRun = 0
  for (const { opening, body: report } of blocks(text, /^(?:FAIL|PASS) (?:[^\n]*? )?(\S+\.\w+)(?: \(.*\))?$/gm)) {
    if (!opening[0].startsWith('FAIL')) continue
    const file = opening[1] ?? ''
    for (const { opening: title, body } of blocks(report, /^ {2}● (.+)$/gm)) {
      const name = (title[1] ?? '').trim()
      const key = `${file} ${name}`
      // Console output stands under such a title too; failures are printed again at the end of a long run.
      if (name === 'Console' || failures.has(key)) continue
      if (name === 'Test suite failed to run') filesNotRun++
      const own = body.split('\n').find((each) => each.includes(`${file}:`)) ?? body
      const { line } = placeIn(own, stackPlace)
      failures.set(key, { name, file, line, message: messageBefore(body, /^\s+at |^\s+>? *\d+ \| |^Test Suites: /m) })
    }
  }
  return {
    runner: 'jest',
    passed: countBefore(tests, 'passed'),
    failed: countBefore(tests, 'failed') + filesNotRun,
    skipped: countBefore(tests, 'skipped') + countBefore(tests, 'todo'),
    failures: [...failures.values()],
  }
}

export const parseMocha: ReportParser = (text) => {
  const passing = lastMatch(text, /^ {2}(\d+) passing \(.+\)$/gm)
  if (!passing) return null
  const end = text.slice(passing.index)
  const failures = blocks(end, /^ {2}\d+\) (.+(?:\n {3,}\S.*)*?):$/gm).map(({ opening, body }): TestFailure => {
    const name = (opening[1] ?? '').split('\n').map((line) => line.trim()).join(' ')
    return { name, ...placeIn(body, stackPlace), message: messageBefore(body, stackLine) }
  })
  return { runner: 'mocha', passed: Number(passing[1]), failed: countBefore(end, 'failing'), skipped: countBefore(end, 'pending'), failures }
}

/** The spec reporter; its TAP is read as TAP. */
export const parseNodeTest: ReportParser = (text) => {
  const summary = lastMatch(text, /^ℹ tests \d+\n(?:ℹ .+\n?)+/gm)?.[0]
  if (summary === undefined) return null
  const count = (what: string): number => Number(new RegExp(`^ℹ ${what} (\\d+)$`, 'm').exec(summary)?.[1] ?? 0)
  const list = text.slice(Math.max(0, text.lastIndexOf('✖ failing tests:')))
  const failures = blocks(list, /^test at (.+):(\d+):\d+\n✖ (.+?)(?: \([\d.]+ms\))?$/gm).map(({ opening, body }): TestFailure => {
    const [, file = null, line, name = ''] = opening
    return { name, file, line: Number(line), message: messageBefore(body, stackLine) }
  })
  return { runner: 'node:test', passed: count('pass'), failed: count('fail') + count('cancelled'), skipped: count('skipped') + count('todo'), failures }
}
