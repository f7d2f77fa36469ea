import { describe, expect, it } from 'vitest'
import { applyDiff, parseUnifiedDiff, unapplyDiff } from './codex-diff.js'

/** What a diff makes of a text and back again; `null` where it does not fit or cannot be read. */
function both(diff: string, before: string, after: string): readonly [string | null, string | null] | null {
  const parsed = parseUnifiedDiff(diff)
  return parsed && [applyDiff(parsed, before), unapplyDiff(parsed, after)]
}

describe('a recorded diff', () => {
  it.each<readonly [string, string, string, string]>([
    ['a replaced line', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n', 'a\nb\nc\n', 'a\nB\nc\n'],
    ['two places of which the first shifts the second', '@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -4,2 +5 @@\n d\n-e\n', 'a\nb\nc\nd\ne\n', 'a\nx\nb\nc\nd\n'],
    ['line ends of Windows', '@@ -2,3 +2,3 @@\n b\r\n-c\r\n+C\r\n d\r\n', 'a\r\nb\r\nc\r\nd\r\n', 'a\r\nb\r\nC\r\nd\r\n'],
    ['a last line without an end', '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n', 'a\nb', 'a\nc\n'],
    ['a first line', '@@ -0,0 +1 @@\n+a\n', '', 'a\n'],
    ['an added line at the end', '@@ -2 +2,2 @@\n b\n+c\n', 'a\nb\n', 'a\nb\nc\n'],
  ])('makes one text of the other, both ways: %s', (_, diff, before, after) => {
    expect(both(diff, before, after)).toEqual([after, before])
  })

  it.each<readonly [string, string, string]>([
    ['a removed line that stands elsewhere', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n', 'new\na\nb\nc\n'],
    ['a context line that is another', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n', 'a\nb\nC\n'],
    ['other line ends', '@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n', 'a\r\nb\r\nc\r\n'],
    ['a last line that lacks its end', '@@ -1,2 +1,2 @@\n a\n-b\n+c\n', 'a\nb'],
    ['a text that ends before', '@@ -5,1 +5,1 @@\n-b\n+c\n', 'a\n'],
    ['a change at the end of the file, which goes on', '@@ -1,2 +1,2 @@\n a\n-b\n+c\n', 'a\nb\nd\n'],
    ['a change at the start of the file, which begins before', '@@ -1,2 +1,2 @@\n-a\n+b\n c\n', 'x\na\nc\n'],
    ['carriage returns inside lines', '@@ -1,2 +1,2 @@\n a\n-b\n+c\n', 'a\nb\nc\rd\n'],
    ['a number that the lines before do not lead to', '@@ -2,1 +3,1 @@\n-b\n+c\n', 'a\nb\n'],
  ])('fits to the letter or not at all: %s', (_, diff, before) => {
    const parsed = parseUnifiedDiff(diff)
    expect(parsed && applyDiff(parsed, before)).toBeNull()
  })

  it.each([
    ['', 'nothing'],
    ['a\n', 'no header'],
    ['@@ -1,2 +1,2 @@\n a\n-b\n', 'counts that do not fit'],
    ['@@ -1 +1 @@\n-a\n+b', 'a last line that was cut'],
    ['@@ -1 +1 @@\n-a\rb\n+c\n', 'a carriage return inside a line'],
    ['@@ -3 +3 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n', 'hunks out of order'],
    ['@@ -1 +1 @@\n*a\n+b\n', 'an unknown sign'],
  ])('is not read where it is not what a tool writes: %j (%s)', (diff) => {
    expect(parseUnifiedDiff(diff)).toBeNull()
  })
})
