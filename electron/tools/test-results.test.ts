import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseTestResults, type TestReport } from './test-results.js'

const read = (name: string): string => readFileSync(new URL(`fixtures/test-output/${name}.txt`, import.meta.url), 'utf8')

function report(name: string): Omit<TestReport, 'hasOtherFailure'> | null {
  const found = parseTestResults('run the tests', read(name), '', 1)
  if (!found) return null
  const { hasOtherFailure: _, ...rest } = found
  return rest
}

const failure = (name: string, file: string | null, line: number | null, message: string): object => ({ name, file, line, message })

describe('parseTestResults', () => {
  it.each<[string, object]>([
    [
      'vitest',
      {
        runner: 'vitest', passed: 2, failed: 4, skipped: 2,
        failures: [
          failure('broken.test.ts', 'broken.test.ts', 1, "Error: Cannot find module './not-there' imported from /home/ann/shop/vt/broken.test.ts"),
          failure('sum > subtracts wrongly', 'a.test.ts', 4, 'AssertionError: expected 2 to be 1 // Object.is equality\n\n- Expected\n+ Received\n\n- 1\n+ 2'),
          failure('throws > oddly', 'b.test.ts', 2, 'TypeError: no such thing'),
          failure('deep', 'b.test.ts', 3, 'AssertionError: expected { a: 1 } to deeply equal { a: 2 }\n\n- Expected\n+ Received\n\n  {\n-   "a": 2,\n+   "a": 1,\n  }'),
        ],
      },
    ],
    ['vitest-passed', { runner: 'vitest', passed: 1, failed: 0, skipped: 0, failures: [] }],
    [
      'jest',
      {
        runner: 'jest', passed: 2, failed: 2, skipped: 2,
        failures: [
          failure('sum › subtracts', 'src/sum.test.js', 4, 'expect(received).toBe(expected) // Object.is equality\n\nExpected: 1\nReceived: 2'),
          failure('Test suite failed to run', 'src/broken.test.js', 1, "Cannot find module './not-there' from 'src/broken.test.js'"),
        ],
      },
    ],
    [
      'mocha',
      {
        runner: 'mocha', passed: 1, failed: 2, skipped: 1,
        failures: [
          failure('sum subtracts', 'test/sum.test.js', 5, 'AssertionError [ERR_ASSERTION]: 2 == 1\n+ expected - actual\n\n-2\n+1'),
          failure('throws', 'test/sum.test.js', 8, 'TypeError: no such thing'),
        ],
      },
    ],
    [
      'node-spec',
      {
        runner: 'node:test', passed: 1, failed: 2, skipped: 2,
        failures: [failure('subtracts', 'a.test.mjs', 2, 'AssertionError [ERR_ASSERTION]: 2 == 1'), failure('throws', 'a.test.mjs', 3, 'TypeError [Error]: no such thing')],
      },
    ],
    [
      'node-tap',
      {
        runner: 'node:test', passed: 1, failed: 2, skipped: 2,
        failures: [failure('subtracts', '/home/ann/shop/nt/a.test.mjs', 2, '2 == 1'), failure('throws', '/home/ann/shop/nt/a.test.mjs', 3, 'no such thing')],
      },
    ],
    ['tap', { runner: 'tap', passed: 1, failed: 1, skipped: 2, failures: [failure('subtracts', '/home/ann/shop/test/sum.js', 5, 'should be equal')] }],
    [
      'pytest',
      {
        runner: 'pytest', passed: 2, failed: 3, skipped: 2,
        failures: [
          failure('SumTest::test_raises', 'test_sum.py', 8, 'ValueError: no such thing'),
          failure('SumTest::test_subtracts', 'test_sum.py', 6, 'AssertionError: 1 != 2'),
          failure('test_one[2]', 'test_sum.py', 17, 'assert 2 == 1'),
        ],
      },
    ],
    [
      'unittest',
      {
        runner: 'unittest', passed: 1, failed: 2, skipped: 2,
        failures: [
          failure('test_sum.SumTest.test_raises', '/home/ann/shop/py/test_sum.py', 8, 'ValueError: no such thing'),
          failure('test_sum.SumTest.test_subtracts', '/home/ann/shop/py/test_sum.py', 6, 'AssertionError: 1 != 2'),
        ],
      },
    ],
    [
      'go',
      {
        runner: 'go test', passed: null, failed: 4, skipped: null,
        failures: [
          failure('TestSubtracts', 'sum_test.go', 12, 'sum_test.go:12: got 2, want 1\nsum_test.go:13: and more'),
          failure('TestTable', null, null, ''),
          failure('TestTable/negative', 'sum_test.go', 25, 'sum_test.go:25: got -1, want 1'),
          failure('example.com/shop/bad', 'bad/bad_test.go', 6, 'bad/bad_test.go:6:2: undefined: nothing'),
        ],
      },
    ],
    ['go-verbose', { runner: 'go test', passed: 1, failed: 0, skipped: 1, failures: [] }],
    ['go-json', { runner: 'go test', passed: 1, failed: 1, skipped: 1, failures: [failure('example.com/shop/sum TestSubtracts', 'sum_test.go', 12, 'sum_test.go:12: got 2, want 1')] }],
    [
      'cargo',
      { runner: 'cargo test', passed: 1, failed: 1, skipped: 1, failures: [failure('tests::subtracts', 'src/lib.rs', 6, 'assertion `left == right` failed: should be one\n  left: 0\n right: 1')] },
    ],
    [
      'rspec',
      {
        runner: 'rspec', passed: 1, failed: 1, skipped: 1,
        failures: [failure('Sum subtracts', './spec/sum_spec.rb', 9, 'Failure/Error: expect(3 - 1).to eq(1)\n\n  expected: 1\n       got: 2\n\n  (compared using ==)')],
      },
    ],
    [
      'phpunit',
      {
        runner: 'phpunit', passed: 1, failed: 2, skipped: 1,
        failures: [
          failure('SumTest::testThrows', '/home/ann/shop/tests/SumTest.php', 15, 'RuntimeException: no such thing'),
          failure('SumTest::testSubtracts', '/home/ann/shop/tests/SumTest.php', 10, 'Failed asserting that 2 is identical to 1.'),
        ],
      },
    ],
    [
      'dotnet',
      {
        runner: 'dotnet test', passed: 2, failed: 1, skipped: 1,
        failures: [failure('Shop.Tests.SumTest.Subtracts', '/home/ann/shop/SumTest.cs', 12, 'Assert.Equal() Failure: Values differ\nExpected: 1\nActual:   2')],
      },
    ],
    [
      'maven',
      {
        runner: 'maven', passed: 1, failed: 2, skipped: 1,
        failures: [failure('SumTest.subtracts', null, 12, 'expected: <1> but was: <2>'), failure('SumTest.raises', null, 17, 'IllegalState no such thing')],
      },
    ],
    ['gradle', { runner: 'gradle', passed: 2, failed: 1, skipped: 1, failures: [failure('SumTest > subtracts()', 'SumTest.java', 12, 'org.opentest4j.AssertionFailedError: expected: <1> but was: <2>')] }],
  ])('reads %s', (name, expected) => {
    expect(report(name)).toEqual(expected)
  })

  it('reads the passing summaries of PHPUnit, pytest -q and RSpec', () => {
    const outputs = ['OK (5 tests, 7 assertions)\n', '.....\n5 passed in 0.02s\n', '5 examples, 0 failures\n']
    expect(outputs.map((output) => parseTestResults('x', output, '', 0)?.passed)).toEqual([5, 5, 5])
  })

  it('reads output with colours and CRLF', () => {
    const output = '\u001b[2m Test Files \u001b[22m \u001b[1m\u001b[32m1 passed\u001b[39m\u001b[22m (1)\r\n\u001b[2m      Tests \u001b[22m \u001b[32m3 passed\u001b[39m (3)\r\n'
    expect(parseTestResults('npx vitest', output, '', 0)).toMatchObject({ runner: 'vitest', passed: 3 })
  })

  it('takes the runner that the command names where several ran', () => {
    const both = `${read('pytest')}\n${read('cargo')}`
    expect(['pytest; cargo test', 'cargo test', 'make'].map((command) => parseTestResults(command, both, '', 1)?.runner)).toEqual(['pytest', 'cargo test', 'pytest'])
  })

  it('says when the command failed although no test did', () => {
    expect([0, 1].map((code) => parseTestResults('vitest', read('vitest-passed'), '', code)?.hasOtherFailure)).toEqual([false, true])
  })

  it('recognises nothing in other output, or where the end is missing', () => {
    const cutVitest = read('vitest').split(' Test Files ')[0] ?? ''
    const outputs = ['', 'all good\n', '1 passed, 2 failed\n', 'ok\n', 'Tests: 5\n', '5 tests completed, 1 failed\n', cutVitest, read('pytest').replace(/in 0\.67s/, '')]
    expect(outputs.map((output) => parseTestResults('npm test', output, '', 1))).toEqual(outputs.map(() => null))
  })
})
