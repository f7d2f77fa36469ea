import { describe, expect, it } from 'vitest'
import { PatchComparer, hasPatchTools } from './compare-patch.js'
import { patchCase } from './patch-cases.js'

const hasTools = hasPatchTools()
if (!hasTools) process.stdout.write('Patches are not compared: git, diff or patch is not installed.\n')

// A short form of `npm run fuzz:patch`.
describe.skipIf(!hasTools)('the patch engine beside git and GNU patch', () => {
  it('writes the same bytes for 40 random patches, and refuses none that is clean', { timeout: 60_000 }, () => {
    const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Date.now() / 1000) % 1_000_000) * 40
    process.stdout.write(`FUZZ_SEED=${seed / 40}\n`)
    const comparer = new PatchComparer()
    try {
      const results = Array.from({ length: 40 }, (_, index) => comparer.compare(patchCase(seed + index)))
      const wrong = results.flatMap((result) => (result.kind === 'wrong' ? [`${result.what}\n${result.patch}`] : []))
      const applied = results.filter((result) => result.kind === 'same').length
      expect({ wrong, areMostApplied: applied > 12 }).toEqual({ wrong: [], areMostApplied: true })
    } finally {
      comparer.dispose()
    }
  })
})
