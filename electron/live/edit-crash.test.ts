import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FileState } from '../../shared/file-state.js'
import type { LedgerEntry } from '../../shared/ledger.js'
import { silentLog } from '../base/log.js'
import { openBackupStore } from '../history/backup-store.js'
import { eachRecord } from '../history/log-records.js'
import { editFiles, type EditCase } from '../testing/edit-cases.js'
import { Random } from '../testing/random.js'
import { tempHistory, type TempHistory } from '../testing/temp-history.js'
import { recoverCutOff } from './recover-cut-off.js'

// Every step is a process that is killed, so only some are tried: CRASH_STEPS=all tries each, CRASH_SEED other ones.
const steps = process.env['CRASH_STEPS'] === 'all' ? Infinity : 5
const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 1e9))
const timeoutMs = 600_000
let folder = ''
let runner = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'edit-crash-'))
  runner = join(folder, 'runner.cjs')
  const entry = join(import.meta.dirname, '../testing/edit-runner.ts')
  await build({ entryPoints: [entry], outfile: runner, bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'error' })
  process.stdout.write(`edit-crash: seed ${seed}\n`)
}, timeoutMs)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Run {
  readonly isKilled: boolean
  readonly calls: number
}

/** One edit in a process that dies, or has its folder swapped, right before its disk call number `at`; 0 lets it live. */
function run(temp: TempHistory, what: EditCase, at: number, swap = ''): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [runner, temp.root, temp.data, what], { env: { ...process.env, KILL_AT: String(at), SWAP: swap } })
    let output = ''
    child.stdout.on('data', (part: Buffer) => (output += part.toString()))
    child.stderr.on('data', (part: Buffer) => (output += part.toString()))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code !== 0 && signal !== 'SIGKILL') reject(new Error(`The run failed: ${output}`))
      else resolve({ isKilled: signal === 'SIGKILL', calls: Number(output) })
    })
  })
}

/** Some of the numbers from 1 to `calls`, in order. */
function sampled(calls: number): readonly number[] {
  const all = Array.from({ length: calls }, (_, at) => at + 1)
  if (calls <= steps) return all
  const random = new Random(seed)
  return [...new Set(Array.from({ length: steps }, () => 1 + random.below(calls)))].sort((one, two) => one - two)
}

async function ledgerOf(temp: TempHistory): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = []
  const sessions = join(temp.data, 'sessions')
  if (!existsSync(sessions)) return []
  for (const name of readdirSync(sessions, { recursive: true }).map(String).filter((each) => each.endsWith('.jsonl'))) {
    await eachRecord(join(sessions, name), ['overturn_ledger'], (record) => entries.push((record as { readonly systemPayload: LedgerEntry }).systemPayload))
  }
  return entries
}

/** The state of each file that the ledger tells of, after its last entry. */
function lastStates(ledger: readonly LedgerEntry[]): ReadonlyMap<string, FileState> {
  return new Map(ledger.flatMap(({ changes }) => changes.map(({ path, after }) => [path, after] as const)))
}

/** What the next start makes of a cut-off edit: all of it or nothing, a ledger that says which, and nothing left beside. */
async function checkAfterCrash(temp: TempHistory, whole: readonly ReturnType<TempHistory['tree']>[], states: readonly FileState['kind'][][]): Promise<string> {
  const store = await openBackupStore(temp.data)
  const recover = (): Promise<void> => recoverCutOff({ dataFolder: temp.data, store, log: silentLog, version: '1.0.0' })
  await recover()
  const tree = temp.tree()
  expect(whole).toContainEqual(tree)
  const which = whole.findIndex((each) => JSON.stringify(each) === JSON.stringify(tree))
  const ledger = await ledgerOf(temp)
  const last = lastStates(ledger)
  for (const state of last.values()) if (state.kind === 'file') expect((await store.readBlob(state.sha256)).length).toBe(state.sizeBytes)
  for (const { changes } of ledger) for (const { before } of changes) if (before.kind === 'file') expect((await store.readBlob(before.sha256)).length).toBe(before.sizeBytes)
  expect(states).toContainEqual([...last.values()].map(({ kind }) => kind))
  const calls = ledger.map(({ callId }) => callId)
  expect(new Set(calls).size).toBe(calls.length)
  const edits = join(temp.data, 'edits')
  expect(existsSync(edits) ? readdirSync(edits) : []).toEqual([])
  await recover()
  expect([temp.tree(), (await ledgerOf(temp)).length]).toEqual([tree, ledger.length])
  return `${which === 0 ? 'before' : 'after'}, ${ledger.length} in the ledger`
}

describe('kill -9', () => {
  it.each<[EditCase, readonly FileState['kind'][]]>([
    ['edit', ['file']],
    ['patch', ['file', 'file', 'file', 'absent']],
  ])('in the middle of an approved %s leaves all of it or nothing, and says which', { timeout: timeoutMs }, async (what, after) => {
    const first = await tempHistory(editFiles)
    const before = first.tree()
    const { calls } = await run(first, what, 0)
    const written = first.tree()
    first.dispose()
    expect([calls > 30, written['sub/a.txt']]).toEqual([true, '755 new\n'])
    for (const at of sampled(calls)) {
      const temp = await tempHistory(editFiles)
      await run(temp, what, at)
      const end = await checkAfterCrash(temp, [before, written], [[], [...after]])
      expect([`before, 0 in the ledger`, `after, 1 in the ledger`], `killed at ${at} of ${calls}, seed ${seed}`).toContain(end)
      temp.dispose()
    }
  })

  it('in the middle of an undo leaves the edit as a whole, or nothing of it', { timeout: timeoutMs }, async () => {
    const first = await tempHistory(editFiles)
    const before = first.tree()
    const [{ calls: until }, { calls }] = [await run(await tempHistory(editFiles), 'patch', 0), await run(first, 'undo', 0)]
    expect(first.tree()).toEqual(before)
    first.dispose()
    const second = await tempHistory(editFiles)
    await run(second, 'patch', 0)
    const written = second.tree()
    second.dispose()
    for (const at of sampled(calls - until).map((each) => each + until - 10)) {
      const temp = await tempHistory(editFiles)
      await run(temp, 'undo', at)
      const end = await checkAfterCrash(temp, [before, written], [['file', 'file', 'file', 'absent'], ['file', 'absent', 'absent', 'file'], []])
      expect(['before, 2 in the ledger', 'after, 1 in the ledger', 'before, 0 in the ledger'], `killed at ${at} of ${calls}, seed ${seed}`).toContain(end)
      temp.dispose()
    }
  })
})

describe('a folder that is swapped for a link', () => {
  it('in the middle of an approved patch lets nothing be written where the link leads', { timeout: timeoutMs }, async () => {
    const first = await tempHistory(editFiles)
    const { calls } = await run(first, 'patch', 0)
    first.dispose()
    for (const at of sampled(calls)) {
      const temp = await tempHistory(editFiles)
      const elsewhere = join(temp.data, '..', 'elsewhere')
      mkdirSync(elsewhere)
      for (const [name, text] of [['a.txt', 'old\n'], ['gone.txt', 'gone\n']] as const) writeFileSync(join(elsewhere, name), text, { mode: name === 'a.txt' ? 0o755 : 0o644 })
      await run(temp, 'patch', at, `${temp.at('sub')}:${elsewhere}`)
      const found = Object.fromEntries(readdirSync(elsewhere, { recursive: true, withFileTypes: true }).map((each) => [each.name, each.isFile() ? readFileSync(join(each.parentPath, each.name), 'utf8') : 'folder']))
      expect(found, `swapped at ${at} of ${calls}, seed ${seed}`).toEqual({ 'a.txt': 'old\n', 'gone.txt': 'gone\n' })
      temp.dispose()
    }
  })
})
