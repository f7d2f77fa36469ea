import { describe, expect, it } from 'vitest'
import { applyFilePatch, parsePatchText, type TextResult } from './patch-edit.js'

/** The first file of a patch, applied. */
function apply(patch: string, before: string): TextResult {
  const parsed = parsePatchText(patch)
  if (parsed.kind === 'malformed') throw new Error(parsed.reason)
  const [file] = parsed.files
  if (file === undefined) throw new Error('no file')
  return applyFilePatch(file, before)
}

function unified(...hunks: readonly string[]): string {
  return `--- a/f\n+++ b/f\n${hunks.join('')}`
}

function begin(...lines: readonly string[]): string {
  return ['*** Begin Patch', '*** Update File: f', ...lines, '*** End Patch', ''].join('\n')
}

function textOf(result: TextResult): string | null {
  if (result.kind === 'refused') throw new Error(result.message)
  return result.text
}

function refusal(result: TextResult): { message: string; line: number | null; candidates: readonly number[] } {
  if (result.kind === 'applied') throw new Error(`applied: ${JSON.stringify(result.text)}`)
  return { message: result.message, line: result.line, candidates: result.candidates.map(({ firstLine }) => firstLine) }
}

describe('hunks that begin with a line above them', () => {
  const text = 'class A:\n  def f(self):\n    return 1\n\nclass B:\n  def f(self):\n    return 1\n'

  it('stand in the block that the lines name', () => {
    expect([
      textOf(apply(begin('@@ class B:', '@@   def f(self):', '-    return 1', '+    return 2'), text)),
      textOf(apply(begin('@@ class A:', '-    return 1', '+    return 2'), text)),
      textOf(apply(begin('@@ class B:', '-    return 1', '+    return 2'), text)),
    ]).toEqual([text.replace(/1\n$/, '2\n'), text.replace('1', '2'), text.replace(/1\n$/, '2\n')])
  })

  it('are refused where that leaves several places or none', () => {
    expect([
      refusal(apply(begin('@@   def f(self):', '-    return 1', '+    return 2'), text)).candidates,
      refusal(apply(begin('@@ class C:', '-    return 1', '+    return 2'), text)).message,
      refusal(apply(begin('@@ class B:', ' class A:', '+  x = 1'), text)).message,
    ]).toEqual([[3, 7], 'Hunk 1 of f has no place: no line reads "class C:", which should stand above it. Nearest is line 1: "class A:".', 'Hunk 1 of f does not fit. Its lines stand at the most similar place, line 1, but not below the line that it names with @@. Read the file again.'])
  })

  it('match at the end of the file where they say so', () => {
    expect([
      textOf(apply(begin('@@', '-}', '+]', '*** End of File'), 'a\n}\nb\n}\n')),
      textOf(apply(begin('@@', '+last', '*** End of File'), 'a\r\nb\r\n')),
      refusal(apply(begin('@@', '-a', '+A', '*** End of File'), 'a\nb\n')).line,
    ]).toEqual(['a\n}\nb\n]\n', 'a\r\nb\r\nlast\r\n', null])
  })

  it('know no missing line end at the end of the file, which stays missing', () => {
    expect([textOf(apply(begin('-b', '+B'), 'a\r\nb')), textOf(apply(begin(' b', '+c'), 'a\nb'))]).toEqual(['a\r\nB', 'a\nb\nc'])
  })

  it('are refused where they only add lines and nothing shows where', () => {
    expect(refusal(apply(begin('@@ class A:', '+  x = 1'), text)).message).toContain('only adds lines')
  })
})

describe('the time that a patch takes', () => {
  it.each([
    ['all hunks moved by a line', 'top\n', ''],
    ['no line in its place, and CRLF', 'top\r\n', '\r'],
  ])('grows with the file: %s', { timeout: 20_000 }, (_, top, end) => {
    const count = 60_000
    const hunks = Array.from({ length: count / 10 }, (_unused, index) => `@@ -${index * 10 + 1},2 +${index * 10 + 1},2 @@\n-line ${index * 10}\n+LINE\n line ${index * 10 + 1}\n`)
    const text = top + Array.from({ length: count }, (_unused, index) => `line ${index}${end}\n`).join('')
    const startedAt = performance.now()
    const result = textOf(apply(unified(...hunks), text))
    expect([result?.split('LINE').length, performance.now() - startedAt < 10_000]).toEqual([count / 10 + 1, true])
  })

  it('is bounded for a block that is named over and over', { timeout: 20_000 }, () => {
    const hunks = Array.from({ length: 3000 }, () => ['@@ x', '-x', '+y']).flat()
    const startedAt = performance.now()
    expect([refusal(apply(begin(...hunks), 'x\n'.repeat(100_000))).message.slice(0, 62), performance.now() - startedAt < 10_000]).toEqual([
      'Hunk 1 of f is ambiguous: more than 1000 places match, at line',
      true,
    ])
  })

  it('is bounded for the same lines over and over', { timeout: 20_000 }, () => {
    const hunks = Array.from({ length: 3000 }, (_, index) => `@@ -${index * 7 + 2},3 +${index * 7 + 2},3 @@\n x\n-x\n+z\n y\n`)
    const startedAt = performance.now()
    expect([refusal(apply(unified(...hunks), `${'x\n'.repeat(100)}y\n`.repeat(500))).message.includes('ambiguous'), performance.now() - startedAt < 10_000]).toEqual([
      true,
      true,
    ])
  })
})
