import { describe, expect, it } from 'vitest'
import type { SedRunner } from '../edits/sed-runner.js'
import { sedInThisThread } from '../testing/open-simulated.js'
import { recordedSed } from '../shell/recorded-sed.js'
import { createSedOutcomes } from './sed-outcomes.js'

async function outcome(command: string, before: string | Buffer): Promise<string | null> {
  const sed = recordedSed(command, '/home/dev/app')
  if (!sed) return 'not a sed'
  const after = await createSedOutcomes(sedInThisThread)(sed, Buffer.from(before))
  return after && Buffer.from(after).toString()
}

describe('recordedSed', () => {
  it.each([
    ["sed -i 's/a/b/' f", '/srv/app', true],
    ["sed -i -e 's/a/b/' -e 's/b/c/' f", '/home/dev/app', true],
    ["sed -i '' 's/a/b/' f", '/Users/dev/app', true],
    ["sed -E -i 's/(a)/\\1/' f", '/Users/dev/app', true],
    ["sed -i 's/a/b/p' f", '/home/dev/app', false],
  ])('takes %s in %s: %s', (command, folder, expected) => {
    expect(recordedSed(command, folder) !== null).toBe(expected)
  })

  it.each([["sed -i -e 's/a/b/' f"], ["sed -i -E 's/a+/b/' f"], ["sed -Ei -e 's/a/b/' f"], ["sed -i -- 's/a/b/' f"]])(
    'takes %s only where it cannot be macOS, which takes the word behind -i for a suffix',
    (command) => {
      expect(['/Users/dev/app', '/srv/app', '/home/dev/app', '/root'].map((folder) => recordedSed(command, folder) !== null)).toEqual([false, false, true, true])
    },
  )

  it('does not take the macOS form with groups, which hold other things there', () => {
    expect(recordedSed("sed -i '' 's/\\(a\\)/\\1/' f", '/Users/dev/app')).toBeNull()
  })
})

describe('the outcome of a recorded sed', () => {
  it('is what sed writes', async () => {
    expect(await outcome("sed -i 's/a/b/;s/b/c/g' f", 'ab\r\nxa')).toBe('cc\r\nxc')
  })

  it.each([
    ["sed -i 's/^./X/' f", 'ein\nété\n'],
    ["sed -i 's/[a-z]/X/g' f", 'aé\n'],
    ["sed -i 's/a/b/' f", Buffer.from('caf\xe9\n', 'latin1')],
    ["sed -i '' 's/a/b/' f", 'a'],
  ])('of %s on %j is not certain, since it depends on the machine', async (command, before) => {
    expect(await outcome(command, before)).toBeNull()
  })

  it('is asked for once, whether it is certain or not', async () => {
    let count = 0
    const counting: SedRunner = { ...sedInThisThread, apply: (...asked) => (count++, sedInThisThread.apply(...asked)) }
    const outcomes = createSedOutcomes(counting)
    const sed = recordedSed("sed -i 's/./b/' f", '/srv/app')
    if (!sed) throw new Error('It is a sed.')
    const answers = [await outcomes(sed, Buffer.from('a')), await outcomes(sed, Buffer.from('a')), await outcomes(sed, Buffer.from('é')), await outcomes(sed, Buffer.from('é'))]
    expect([answers.map((bytes) => bytes && Buffer.from(bytes).toString()), count]).toEqual([['b', 'b', null, null], 6])
  })

  it('is never certain without a runner', async () => {
    const sed = recordedSed("sed -i 's/a/b/' f", '/srv/app')
    expect(sed && (await createSedOutcomes(null)(sed, Buffer.from('a')))).toBeNull()
  })
})
