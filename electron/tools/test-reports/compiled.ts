import { blocks, countAfter, countBefore, lastMatch, messageBefore, placeIn, sum, type ReportParser, type TestFailure } from './report.js'

const goPlace = /^\s+(\S+\.go):(\d+): /m

/** Without `-v` go names only what failed: how many passed is not known then. */
export const parseGo: ReportParser = (text) => {
  const packages = [...text.matchAll(/^(?:ok {2}|FAIL|\?  )\t(\S+)\s+(.+)$/gm)]
  if (packages.length === 0) return null
  const count = (result: string): number => [...text.matchAll(new RegExp(`^ *--- ${result}: `, 'gm'))].length
  const isVerbose = /^=== RUN {3}/m.test(text)
  const tests = blocks(text, /^( *)--- FAIL: (\S+) \([\d.]+s\)$/gm)
  const failures = tests.map(({ opening, body }): TestFailure => {
    const own = body.split(/^(?: *--- |=== |FAIL|PASS|ok {2})/m)[0] ?? ''
    return { name: opening[2] ?? '', ...placeIn(own, goPlace), message: messageBefore(own) }
  })
  const unbuilt = packages.filter(([, , what = '']) => /\[(build|setup) failed\]/.test(what)).map(([, name = '']) => unbuiltPackage(name, text))
  return {
    runner: 'go test',
    passed: isVerbose ? count('PASS') : null,
    failed: count('FAIL') + unbuilt.length,
    skipped: isVerbose ? count('SKIP') : null,
    failures: [...failures, ...unbuilt],
  }
}

function unbuiltPackage(name: string, text: string): TestFailure {
  const errors = blocks(text, /^# (\S+)(?: \[.*\])?$/gm).find(({ opening }) => opening[1] === name)?.body ?? ''
  const own = errors.split(/^(?:ok {2}|FAIL|\?  )\t/m)[0] ?? ''
  return { name, ...placeIn(own, /^(\S+\.go):(\d+):/m), message: own.trim() === '' ? 'The package could not be built.' : own.trim() }
}

interface GoEvent {
  readonly action: string
  readonly pack: string
  readonly test: string | null
  readonly output: string
}

export const parseGoJson: ReportParser = (text) => {
  const events = text.split('\n').flatMap(goEvent)
  const ends = events.filter(({ action, test }) => test !== null && ['pass', 'fail', 'skip'].includes(action))
  if (!events.some(({ action, test }) => test === null && ['pass', 'fail', 'skip'].includes(action))) return null
  const count = (result: string): number => ends.filter(({ action }) => action === result).length
  const failures = ends
    .filter(({ action }) => action === 'fail')
    .map(({ pack, test }): TestFailure => {
      const lines = events.filter((event) => event.action === 'output' && event.pack === pack && event.test === test).map(({ output }) => output)
      const own = lines.filter((line) => !/^(?:=== | *--- )/.test(line)).join('')
      return { name: `${pack} ${test ?? ''}`, ...placeIn(own, goPlace), message: messageBefore(own) }
    })
  return { runner: 'go test', passed: count('pass'), failed: count('fail'), skipped: count('skip'), failures }
}

function goEvent(line: string): readonly GoEvent[] {
  if (!line.startsWith('{') || !line.includes('"Action"')) return []
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null || !('Action' in value) || !('Package' in value)) return []
    const test = 'Test' in value ? String(value.Test) : null
    return [{ action: String(value.Action), pack: String(value.Package), test, output: 'Output' in value ? String(value.Output) : '' }]
  } catch {
    return []
  }
}

export const parseCargo: ReportParser = (text) => {
  const ends = [...text.matchAll(/^test result: (?:ok|FAILED)\. (.+)$/gm)].map(([, counts = '']) => counts)
  if (ends.length === 0) return null
  const count = (what: string): number => sum(ends.map((counts) => countBefore(counts, what)))
  const failures = blocks(text, /^---- (.+) stdout ----$/gm).map(({ opening, body }): TestFailure => {
    const own = body.split(/^(?:failures:|test result: )/m)[0] ?? ''
    const [, file, line] = /panicked at (?:'[\s\S]*', )?([^\s:]+):(\d+):\d+/.exec(own) ?? []
    const said = /panicked at [^\n']+:\d+:\d+:\n([\s\S]*)/.exec(own)?.[1] ?? /panicked at '([\s\S]*)', /.exec(own)?.[1] ?? own
    return { name: opening[1] ?? '', file: file ?? null, line: line === undefined ? null : Number(line), message: messageBefore(said, /^(?:stack backtrace:|note: )/m) }
  })
  return { runner: 'cargo test', passed: count('passed'), failed: count('failed'), skipped: count('ignored'), failures }
}

export const parseDotnet: ReportParser = (text) => {
  const ends = [...text.matchAll(/^\s*(?:Passed|Failed)! +- (Failed: .+)$/gm)].map(([, counts = '']) => counts)
  if (ends.length === 0) return null
  const count = (what: string): number => sum(ends.map((counts) => countAfter(counts, what)))
  const failures = blocks(text, /^ *(?:\[xUnit.net .*)?Failed (\S.*) \[[\d<, .msh]+\]$/gm).map(({ opening, body }): TestFailure => {
    const message = messageBefore(body.replace(/^\s*Error Message:\n/, ''), /^\s*(?:Stack Trace:|(?:Passed|Failed|Skipped)\b)/m)
    return { name: opening[1] ?? '', ...placeIn(body, / in (.+):line (\d+)$/m), message }
  })
  return { runner: 'dotnet test', passed: count('Passed'), failed: count('Failed'), skipped: count('Skipped'), failures }
}

export const parseMaven: ReportParser = (text) => {
  const ends = [...text.matchAll(/^\[(?:INFO|ERROR|WARNING)\] (Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+)$/gm)].map(([, counts = '']) => counts)
  if (ends.length === 0) return null
  const count = (what: string): number => sum(ends.map((counts) => countAfter(counts, what)))
  const failed = count('Failures') + count('Errors')
  const failures = [...text.matchAll(/^\[ERROR\] {3}(\S+?)(?::(\d+))?(?: » | )(.*)$/gm)].map(
    ([, name = '', line, message = '']): TestFailure => ({ name, file: null, line: line === undefined ? null : Number(line), message }),
  )
  return { runner: 'maven', passed: Math.max(0, count('Tests run') - failed - count('Skipped')), failed, skipped: count('Skipped'), failures }
}

/** Gradle prints counts only when a test failed. */
export const parseGradle: ReportParser = (text) => {
  const ends = [...text.matchAll(/^(\d+) tests? completed, (\d+) failed(?:, (\d+) skipped)?$/gm)]
  if (ends.length === 0 || !lastMatch(text, /^(?:> Task |BUILD |FAILURE: )/gm)) return null
  const count = (group: number): number => sum(ends.map((end) => Number(end[group] ?? 0)))
  const failures = blocks(text, /^(\S.* > .+) FAILED$/gm).map(({ opening, body }): TestFailure => {
    const own = body.split(/^\S/m)[0] ?? ''
    return { name: opening[1] ?? '', ...placeIn(own, /at (\S+\.\w+):(\d+)$/m), message: messageBefore(own, /\s+at \S+\.\w+:\d+$/m) }
  })
  return { runner: 'gradle', passed: count(1) - count(2) - count(3), failed: count(2), skipped: count(3), failures }
}
