import { describe, expect, it } from 'vitest'
import { compareWithSed, hasGnuSed } from './compare-sed.js'
import { sedCase } from './sed-commands.js'

// A short form of `npm run fuzz:sed`; needs GNU sed 4 and bash.
describe.skipIf(!hasGnuSed())('the simulated sed beside the installed one', () => {
  it('writes the same bytes for 200 random commands', { timeout: 60_000 }, () => {
    const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Date.now() / 1000) % 1_000_000) * 200
    process.stdout.write(`FUZZ_SEED=${seed / 200}\n`)
    const cases = Array.from({ length: 200 }, (_, index) => sedCase(seed + index, null, `f${index}.txt`))
    const results = compareWithSed(cases, 'C.UTF-8', 'bash')
    const different = cases.filter((_, index) => results[index]?.kind === 'different').map((item) => item.command)
    const count = results.filter((result) => result.kind === 'same').length
    expect({ different, areMostAccepted: count > 80 }).toEqual({ different: [], areMostAccepted: true })
  })
})
