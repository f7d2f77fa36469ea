// Compares the simulated sed -i with the installed GNU sed on random commands:
// `npm run fuzz:sed -- --seeds 1..20000 [--group dense] [--locale C]`. Fails on any difference and below the bars.

import { parseArgs } from 'node:util'
import { compareWithSed, hasGnuSed } from './fuzz/compare-sed.js'
import { sedCase, sedGroups, type SedCase, type SedGroup } from './fuzz/sed-commands.js'

const batchSize = 500
/** The least share of accepted commands, in percent, where at least 200 were tried. */
const bars: Partial<Record<SedGroup, number>> = { real: 97, re: 60 }

interface Tally {
  tried: number
  accepted: number
  changed: number
  killed: number
  different: number
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1..2000' },
    group: { type: 'string' },
    locale: { type: 'string', default: 'C.UTF-8' },
    reasons: { type: 'boolean', default: false },
  },
})
const [first = 1, last = first] = values.seeds.split('..').map(Number)
const group = sedGroups.find((name) => name === values.group) ?? null
const tallies = new Map<SedGroup, Tally>()
const reasons = new Map<string, number>()

function count(item: SedCase): Tally {
  const tally = tallies.get(item.group) ?? { tried: 0, accepted: 0, changed: 0, killed: 0, different: 0 }
  tallies.set(item.group, tally)
  tally.tried++
  return tally
}

function runBatch(from: number, to: number): void {
  const cases = Array.from({ length: to - from + 1 }, (_, index) =>
    sedCase(from + index, group, `f${from + index}.txt`),
  )
  const shell = from % (2 * batchSize) < batchSize ? 'bash' : 'dash'
  compareWithSed(cases, values.locale, shell).forEach((result, index) => {
    const item = cases[index]
    if (item === undefined) return
    const tally = count(item)
    if (result.kind === 'declined') {
      reasons.set(`${item.group}: ${result.reason}`, (reasons.get(`${item.group}: ${result.reason}`) ?? 0) + 1)
    } else tally.accepted++
    if (result.kind === 'same' && result.isChanged) tally.changed++
    if (result.kind === 'killed') tally.killed++
    if (result.kind !== 'different') return
    tally.different++
    const text = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes).toString('latin1')).slice(0, 400)
    process.stdout.write(
      `DIFFERENT seed ${item.seed} (${item.group}, ${shell}): ${item.command}\n  before    ${text(item.before)}\n` +
        `  simulated ${text(result.simulated)}\n  real (${result.exitCode})  ${text(result.real)}\n`,
    )
  })
}

if (!hasGnuSed()) {
  process.stdout.write('Skipped: the installed sed is not GNU sed 4.\n')
} else {
  for (let from = first; from <= last; from += batchSize) runBatch(from, Math.min(last, from + batchSize - 1))
  for (const [name, { tried, accepted, changed, killed, different }] of [...tallies].sort()) {
    const share = (accepted / tried) * 100
    const isLow = tried >= 200 && share < (bars[name] ?? 0)
    if (isLow || different > 0) process.exitCode = 1
    process.stdout.write(
      `${name.padEnd(6)} ${tried} tried, ${accepted} accepted (${share.toFixed(1)} %${isLow ? `, below ${bars[name]} %` : ''}), ` +
        `${changed} edited the file, ${different} different, ${killed} where the real sed gave up\n`,
    )
  }
  if (values.reasons) {
    for (const [reason, times] of [...reasons].sort((a, b) => b[1] - a[1]).slice(0, 40))
      process.stdout.write(`${String(times).padStart(6)} ${reason}\n`)
  }
}
