import { describe, expect, it } from 'vitest'
import { readCommandLine, UsageError } from './arguments.js'

const refused = (words: readonly string[]): string | null => {
  try {
    readCommandLine(words)
    return null
  } catch (thrown) {
    return thrown instanceof UsageError ? thrown.message : String(thrown)
  }
}

describe('the command line', () => {
  it('takes options before and after the words', () => {
    const line = readCommandLine(['rewind', '--json', 'abc', '--to', '3', '--path', 'a b.md', '--path=-x', '--dry-run'])
    expect([line.name, line.words, line.text('to'), line.texts('path'), line.flag('json'), line.flag('dry-run'), line.text('on-conflict')]).toEqual([
      'rewind',
      ['abc'],
      '3',
      ['a b.md', '-x'],
      true,
      true,
      null,
    ])
  })

  it('takes paths that start with a dash behind --', () => {
    expect(readCommandLine(['cat', 'abc', '--at', '1', '--', '-n']).words).toEqual(['abc', '-n'])
  })

  it('refuses what would be passed over', () => {
    const lines = [['rewind', 'x', '--to', '3', '--to', '4'], ['show', 'x', 'y'], ['cat', 'x', 'a', 'b'], ['sessions', 'x'], ['why', 'a:1', 'b:2']]
    expect(lines.map(refused)).toEqual(['--to is given twice. Give it once.', 'show takes no "y".', 'cat takes no "b".', 'sessions takes no "x".', 'why takes no "b:2".'])
  })

  it('refuses what it does not know', () => {
    expect([refused([]), refused(['fly']), refused(['show', 'x', '--to', '3'])?.includes('--to'), refused(['cat', 'x', '--at'])?.includes('--at')]).toEqual([
      'There is no command "".',
      'There is no command "fly".',
      true,
      true,
    ])
  })
})
