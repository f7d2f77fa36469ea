import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTextComparer } from './text-comparer.js'

const long = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join('\n')

describe('the text comparer', () => {
  it('counts changes, and tells when they are blanks only', async () => {
    const comparer = createTextComparer(null)
    expect([await comparer.compare('a\nb\n', 'a\nc\n'), await comparer.compare('a\n', '  a\n')]).toEqual([
      { stat: { insertions: 1, deletions: 1 }, isOnlyBlanks: false },
      { stat: { insertions: 1, deletions: 1 }, isOnlyBlanks: true },
    ])
  })

  it('answers long texts from the built worker as it does in place', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'overturn-worker-'))
    const outfile = join(folder, 'diff-worker.cjs')
    await build({ entryPoints: [join(import.meta.dirname, 'diff-worker.ts')], outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' })
    const [there, here] = [createTextComparer(outfile), createTextComparer(null)]
    onTestFinished(async () => {
      await there.close()
      await rm(folder, { recursive: true })
    })
    const after = long.replace('line 7\n', 'changed\n')
    expect(await Promise.all([there.compare(long, after), there.compare(after, long)])).toEqual(await Promise.all([here.compare(long, after), here.compare(after, long)]))
  })

  it('rejects what waits when the worker fails, and goes on with a new one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'overturn-worker-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'worker.cjs')
    await writeFile(file, "throw new Error('broken')")
    const comparer = createTextComparer(file)
    await expect(comparer.compare(long, `${long}\n`)).rejects.toThrow('broken')
    await writeFile(file, "require('node:worker_threads').parentPort.on('message', ({ id }) => require('node:worker_threads').parentPort.postMessage({ id, answer: 'fine' }))")
    expect(await comparer.compare(long, `${long}\n`)).toBe('fine')
    await comparer.close()
  })
})
