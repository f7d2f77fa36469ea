// Compares the patch engine with git apply and GNU patch on random patches:
// `npm run fuzz:patch -- --seeds 1..5000 [--verbose]`. Fails on a wrong byte, and on a refusal of a clean patch.

import { parseArgs } from 'node:util'
import { PatchComparer, hasPatchTools } from './fuzz/compare-patch.js'
import { patchCase } from './fuzz/patch-cases.js'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '1..1000' }, verbose: { type: 'boolean', default: false } },
})
const [first = 1, last = first] = values.seeds.split('..').map(Number)
const counts = new Map<string, number>()
const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

if (!hasPatchTools()) {
  process.stdout.write('Skipped: git, diff or patch is not installed.\n')
} else {
  const comparer = new PatchComparer()
  try {
    for (let seed = first; seed <= last; seed++) {
      const item = patchCase(seed)
      const result = comparer.compare(item)
      const group = `${item.tool} ${item.isClean ? 'clean' : 'changed'}`
      if (result.kind === 'no-patch') continue
      count(`${group}: tried`)
      if (result.kind === 'same') count(`${group}: as ${result.as}`)
      if (result.kind === 'refused') count(`${group}: refused, applied by ${result.others}`)
      if (result.kind === 'refused' && values.verbose) process.stdout.write(`seed ${seed} (${result.others}): ${result.message}\n`)
      if (result.kind !== 'wrong') continue
      count(`${group}: WRONG`)
      process.exitCode = 1
      const how = `-U${item.contextLines} ${item.options.join(' ')}`
      process.stdout.write(`WRONG seed ${seed} (${group}, ${how}): ${result.what}\n${result.patch.slice(0, 3000)}\n`)
    }
  } finally {
    comparer.dispose()
  }
  for (const [name, number] of [...counts].sort()) process.stdout.write(`${String(number).padStart(6)} ${name}\n`)
}
