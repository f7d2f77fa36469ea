import { blocks, countAfter, lastMatch, messageBefore, placeIn, type ReportParser, type TestFailure } from './report.js'

export const parseRspec: ReportParser = (text) => {
  const end = lastMatch(text, /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$/gm)
  if (!end) return null
  const [examples = 0, failed = 0, pending = 0, errors = 0] = end.slice(1).map((count) => Number(count ?? 0))
  const list = text.slice(Math.max(0, text.indexOf('\nFailures:\n')), end.index)
  const failures = blocks(list, /^ {2}\d+\) (.+)$/gm).map(({ opening, body }): TestFailure => {
    return { name: opening[1] ?? '', ...placeIn(body, /^\s+# (\S+?):(\d+)/m), message: messageBefore(body, /^\s+# \S+:\d+/m) }
  })
  return { runner: 'rspec', passed: examples - failed - pending, failed: failed + errors, skipped: pending, failures }
}

export const parsePhpunit: ReportParser = (text) => {
  const good = lastMatch(text, /^OK \((\d+) tests?, \d+ assertions?\)$/gm)
  if (good) return { runner: 'phpunit', passed: Number(good[1]), failed: 0, skipped: 0, failures: [] }
  const counts = lastMatch(text, /^(Tests: \d+, Assertions: \d+.*)\.$/gm)?.[1]
  if (counts === undefined) return null
  const failed = countAfter(counts, 'Failures') + countAfter(counts, 'Errors')
  const skipped = countAfter(counts, 'Skipped') + countAfter(counts, 'Incomplete')
  const lists = blocks(text, /^There (?:was|were) \d+ (failure|error|skipped test|incomplete test|risky test|warning)s?:$/gm)
  const failures = lists
    .filter(({ opening }) => opening[1] === 'failure' || opening[1] === 'error')
    .flatMap(({ body }) => blocks(body, /^\d+\) (.+)$/gm))
    .map(({ opening, body }): TestFailure => {
      const place = /^(\S.*\.php):(\d+)$/m
      return { name: opening[1] ?? '', ...placeIn(body, place), message: messageBefore(body, place) }
    })
  return { runner: 'phpunit', passed: countAfter(counts, 'Tests') - failed - skipped, failed, skipped, failures }
}
