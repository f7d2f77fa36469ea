import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crashCases, crashFiles } from '../testing/crash-cases.js'
import { rewindOf, tempHistory, type TempHistory } from '../testing/temp-history.js'

// Every step is a process that is killed; on a busy machine that takes its time.
const timeoutMs = 300_000
let folder = ''
let runner = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crash-'))
  runner = join(folder, 'runner.cjs')
  await build({ entryPoints: [join(import.meta.dirname, '../testing/crash-runner.ts')], outfile: runner, bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'error' })
}, timeoutMs)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Run {
  readonly isKilled: boolean
  readonly calls: number
}

/** Runs one operation in a process that dies right before its disk call number `killAt`; 0 lets it live. */
function run(temp: TempHistory, what: 'rewind' | 'undo' | 'recover', killAt: number): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [runner, temp.root, temp.data, what], { env: { ...process.env, KILL_AT: String(killAt) } })
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

type Tree = ReturnType<TempHistory['tree']>

async function rewound(): Promise<{ readonly before: Tree; readonly after: Tree; readonly calls: number; readonly undoCalls: number }> {
  const temp = await tempHistory(crashFiles)
  const before = temp.tree()
  const { calls } = await run(temp, 'rewind', 0)
  const after = temp.tree()
  const undo = await run(temp, 'undo', 0)
  expect(temp.tree()).toEqual(before)
  temp.dispose()
  return { before, after, calls, undoCalls: undo.calls }
}

/** Checks what the next start finds, and that the history still works in both directions. */
async function checkAfterCrash(temp: TempHistory, before: Tree, after: Tree): Promise<string> {
  const history = await temp.reopen()
  const tree = temp.tree()
  expect([before, after]).toContainEqual(tree)
  const isAfter = JSON.stringify(tree) === JSON.stringify(after)
  expect(history.journal.pending()).toEqual([])
  for (const blob of history.journal.neededBlobs()) expect((await temp.store.readBlob(blob)).length).toBeGreaterThanOrEqual(0)

  if (!isAfter) await history.apply(rewindOf(crashCases), null)
  expect(temp.tree()).toEqual(after)
  await history.undo(null)
  expect(temp.tree()).toEqual(before)
  return `${isAfter ? 'after' : 'before'}: ${history.recovered() ?? 'nothing was cut off'}`
}

describe('kill -9', () => {
  it('at each disk call of a rewind leaves the tree as before or as after, and the history whole', { timeout: timeoutMs }, async () => {
    const { before, after, calls } = await rewound()
    const seen = new Set<string>()
    for (let killAt = 1; killAt <= calls; killAt++) {
      const temp = await tempHistory(crashFiles)
      expect((await run(temp, 'rewind', killAt)).isKilled).toBe(true)
      seen.add(await checkAfterCrash(temp, before, after))
      temp.dispose()
    }
    expect([...seen].sort()).toEqual([
      'after: The rewind to the start of turn 4 had been cut off. It was completed, 6 files.',
      'after: nothing was cut off',
      'before: The rewind to the start of turn 4 had been cut off. It had not written anything yet.',
      'before: nothing was cut off',
    ])
  })

  it('at every fourth disk call of an undo leaves the tree as before or as after it', { timeout: timeoutMs }, async () => {
    const { before, after, undoCalls } = await rewound()
    for (let killAt = 1; killAt <= undoCalls; killAt += 4) {
      const temp = await tempHistory(crashFiles)
      await run(temp, 'rewind', 0)
      expect((await run(temp, 'undo', killAt)).isKilled).toBe(true)
      const history = await temp.reopen()
      const isUndone = JSON.stringify(temp.tree()) === JSON.stringify(before)
      if (!isUndone) {
        expect(temp.tree()).toEqual(after)
        await history.undo(null)
      }
      expect([temp.tree(), history.journal.pending()]).toEqual([before, []])
      await history.redo(null)
      expect(temp.tree()).toEqual(after)
      temp.dispose()
    }
  })

  it('at every second disk call of the recovery itself is recovered from by the next start', { timeout: timeoutMs }, async () => {
    const { before, after, calls } = await rewound()
    const half = await halfWay(calls, before, after)
    let killed = 0
    for (let isKilled = true; isKilled; killed++) {
      const temp = await tempHistory(crashFiles)
      await run(temp, 'rewind', half)
      isKilled = (await run(temp, 'recover', 1 + 2 * killed)).isKilled
      await checkAfterCrash(temp, before, after)
      temp.dispose()
    }
    expect(killed).toBeGreaterThan(5)
  })

  it('leaves what somebody typed between the crash and the next start, and undoes the rest', { timeout: timeoutMs }, async () => {
    const { before, after, calls } = await rewound()
    const temp = await tempHistory(crashFiles)
    await run(temp, 'rewind', await halfWay(calls, before, after))
    temp.put('edited.ts', 'typed after the crash\n')
    const history = await temp.reopen()
    expect([temp.tree(), history.recovered(), history.journal.undoStack()]).toEqual([
      { ...before, 'edited.ts': '644 typed after the crash\n' },
      'The rewind to the start of turn 4 had been cut off. It was undone, because a file had changed meanwhile; look at edited.ts.',
      [],
    ])
    temp.dispose()
  })
})

/** A step at which some files are written and others not yet. */
async function halfWay(calls: number, before: Tree, after: Tree): Promise<number> {
  for (let killAt = Math.ceil(calls / 2); killAt < calls; killAt++) {
    const temp = await tempHistory(crashFiles)
    await run(temp, 'rewind', killAt)
    const tree = JSON.stringify(temp.tree())
    temp.dispose()
    if (tree !== JSON.stringify(before) && tree !== JSON.stringify(after)) return killAt
  }
  throw new Error('No step lies between before and after.')
}
