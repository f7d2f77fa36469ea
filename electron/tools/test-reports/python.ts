import { blocks, countAfter, countBefore, lastMatch, messageBefore, placeIn, type ReportParser, type TestFailure } from './report.js'

const pytestEnd = /^(?:=+ )?((?:\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|warnings?|errors?|rerun)(?:, )?)+) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$/gm

export const parsePytest: ReportParser = (text) => {
  const end = lastMatch(text, pytestEnd)?.[1]
  if (end === undefined) return null
  const reports = new Map(blocks(text, /^_{3,} (?:ERROR (?:at \w+ of |collecting ))?(.+?) _{3,}$/gm).map(({ opening, body }) => [opening[1] ?? '', body]))
  const summary = blocks(text, /^(?:FAILED|ERROR) (\S+?)(?:::(.+?))?(?: - (.*))?$/gm)
  const failures = summary.map(({ opening }): TestFailure => {
    const [, file = '', name = file, reason = ''] = opening
    const report = (reports.get(name.replaceAll('::', '.')) ?? '').replace(/\n=+ [\s\S]*$/, '')
    const message = messageBefore([...report.matchAll(/^E {3}(.*)$/gm)].map(([, line]) => line).join('\n'))
    const places = [...report.matchAll(/^(\S+\.py):(\d+): /gm)]
    const place = places.at(-1)
    return { name, file, line: place && place[1] === file ? Number(place[2]) : lineIn(places, file), message: message === '' ? reason : message }
  })
  return {
    runner: 'pytest',
    passed: countBefore(end, 'passed') + countBefore(end, 'xpassed'),
    failed: countBefore(end, 'failed') + countBefore(end, 'errors?'),
    skipped: countBefore(end, 'skipped') + countBefore(end, 'xfailed'),
    failures,
  }
}

/** The last line of the test's own file on the way to where it failed. */
function lineIn(places: readonly RegExpMatchArray[], file: string): number | null {
  const own = places.filter((place) => place[1] === file).at(-1)
  return own ? Number(own[2]) : null
}

export const parseUnittest: ReportParser = (text) => {
  const end = lastMatch(text, /^Ran (\d+) tests? in [\d.]+s\n+(?:OK|FAILED|NO TESTS RAN)(.*)$/gm)
  if (!end) return null
  const [, ran, counts = ''] = end
  const failed = countAfter(counts, '(?<!expected )failures') + countAfter(counts, 'errors') + countAfter(counts, 'unexpected successes')
  const skipped = countAfter(counts, 'skipped') + countAfter(counts, 'expected failures')
  const failures = blocks(text, /^={20,}\n(?:ERROR|FAIL): (.+)$/gm).map(({ opening, body }): TestFailure => {
    const own = body.split(/^-{20,}\nRan /m)[0] ?? ''
    const files = [...own.matchAll(/^ {2}File "(.+)", line (\d+)/gm)]
    const place = files.at(-1)?.[0] ?? ''
    const message = own.slice(own.lastIndexOf(place) + place.length).split('\n').slice(1).filter((line) => /^\S/.test(line) && !/^[-~^]+$/.test(line)).join('\n')
    return { name: (opening[1] ?? '').replace(/^(\S+) \((?:(.+)\.)?\1\)$/, '$2.$1').replace(/^(\S+) \((.+)\)$/, '$2.$1'), ...placeIn(place, /File "(.+)", line (\d+)/), message }
  })
  return { runner: 'unittest', passed: Math.max(0, Number(ran) - failed - skipped), failed, skipped, failures }
}
