import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { Random } from '../testing/random.js'
import { compileGlob } from './glob.js'

const glob = (pattern: string, path: string): boolean => compileGlob(pattern, { isCaseSensitive: true, hasBraces: true })(path)

describe('compileGlob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'a/b.ts', false],
    ['**/*.ts', 'b.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['src/**', 'src', false],
    ['src/**', 'src/a/b', true],
    ['src/**/x', 'src/x', true],
    ['src/**/x', 'src/a/b/x', true],
    ['a/**/b/**/c', 'a/b/x/b/c', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a]x', 'bx', true],
    ['[]]x', ']x', true],
    ['[a', '[a', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['{a,b{c,d}}.ts', 'bd.ts', true],
    ['{a,b{c,d}}.ts', 'b.ts', false],
    ['{a}', '{a}', true],
    ['.*', '.env', true],
    ['*', '.env', true],
  ])('%s on %s: %s', (pattern, path, fits) => {
    expect(glob(pattern, path)).toBe(fits)
  })

  it('ignores case when told', () => {
    expect(compileGlob('*.TS', { isCaseSensitive: false, hasBraces: true })('A.ts')).toBe(true)
  })

  it('agrees with picomatch on random patterns of its plain kind', () => {
    const random = new Random(Number(process.env['SEED'] ?? Date.now() % 1e9))
    const pieces = ['a', 'b', 'ab', '*', '?', '[ab]', '.c']
    for (let round = 0; round < 3000; round++) {
      const segment = (): string => (random.chance(20) ? '**' : Array.from({ length: 1 + random.below(3) }, () => random.pick(pieces)).join('').replace(/\*+/g, '*'))
      const pattern = Array.from({ length: 1 + random.below(4) }, segment).join('/')
      const path = Array.from({ length: 1 + random.below(4) }, () => Array.from({ length: 1 + random.below(3) }, () => random.pick(['a', 'b', '.c'])).join('')).join('/')
      // It lets "a/**" fit "a" itself, which git does not.
      if (pattern.endsWith('**')) continue
      expect(glob(pattern, path), `SEED=${random.seed}: ${pattern} on ${path}`).toBe(picomatch(pattern, { dot: true })(path))
    }
  })

  it('takes no longer for patterns that are made to be slow', () => {
    const start = performance.now()
    const paths = ['a'.repeat(5000), `${'a/'.repeat(2000)}a`]
    const results = ['*a*a*a*a*a*a*a*a*a*a*a*a*b', '**/a/**/a/**/a/**/a/**/a/**/b', '?*?*?*?*?*?*?*?*?*x'].map((pattern) => paths.some((path) => glob(pattern, path)))
    expect([results, performance.now() - start < 500]).toEqual([[false, false, false], true])
  })
})
