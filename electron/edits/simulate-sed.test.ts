import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recognise } from './sed-command.js'
import { createSedRunner } from './sed-runner.js'
import type * as simulateSedModule from './simulate-sed.js'

let folder = ''
let built: typeof simulateSedModule

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'simulate-sed-'))
  const entryPoints = ['simulate-sed.ts', 'sed-worker.ts'].map((name) => new URL(name, import.meta.url).pathname)
  await build({
    entryPoints,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
  built = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'simulate-sed.mjs')).href)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const options = { locale: 'C.UTF-8', file: 'src/a.txt' }

describe('simulateSed', () => {
  it('answers the bytes after the command', async () => {
    const result = await built.simulateSed("sed -i 's/a/é/g' ./src/a.txt", Buffer.from('aba\r\n'), options)
    expect(result).toEqual({ accepted: true, output: new Uint8Array(Buffer.from('ébé\r\n')) })
  })

  it.each([
    ["sed -i 's/a/b/' src/b.txt", 'it names another file'],
    ["sed -i 's/a/b/' src/../src/a.txt", 'it names another file'],
    ["sed -i 's/a/b/' src/a.txt && true", 'it has the shell operator &'],
  ])('declines %s', async (command, reason) => {
    expect(await built.simulateSed(command, Buffer.from('a'), options)).toEqual({ accepted: false, reason })
  })

  it('answers calls that come at the same time, each with its own result', async () => {
    const calls = ['1', '2', '3', '4'].map((digit) =>
      built.simulateSed(`sed -i s/a/${digit}/ src/a.txt`, Buffer.from('a'), options),
    )
    expect(
      (await Promise.all(calls)).map((result) => (result.accepted ? Buffer.from(result.output).toString() : '')),
    ).toEqual(['1', '2', '3', '4'])
  })
})

describe('a sed runner', () => {
  const slow = { command: "sed -i -E 's/a*b|a/x/g' f", bytes: Buffer.alloc(1_000_000, 'a') }

  it('declines what its deadline cuts off, and goes on with the next command', async () => {
    const runner = createSedRunner(join(folder, 'sed-worker.mjs'), 1)
    expect(await runner.apply(slow.bytes, recognised(slow.command), { locale: 'C' })).toEqual({
      kind: 'declined',
      reason: 'the pattern takes too long on this file',
    })
    await runner.close()
  })

  it('stops at once when it is cancelled, and works afterwards', async () => {
    const runner = createSedRunner(join(folder, 'sed-worker.mjs'))
    const abort = new AbortController()
    const cancelled = runner.apply(slow.bytes, recognised(slow.command), { locale: 'C', signal: abort.signal })
    const next = runner.apply(Buffer.from('a'), recognised("sed -i 's/a/b/' f"), { locale: 'C' })
    abort.abort()
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(await next).toEqual({ kind: 'edited', bytes: new Uint8Array(Buffer.from('b')), lineCount: 1 })
    await runner.close()
  })

  it('declines when its worker cannot run', async () => {
    const runner = createSedRunner(join(folder, 'missing.mjs'))
    const edit = await runner.apply(Buffer.from('a'), recognised("sed -i 's/a/b/' f"), { locale: 'C' })
    expect(edit.kind === 'declined' && edit.reason).toMatch(/^the simulation failed: /)
    await runner.close()
  })
})

function recognised(command: string) {
  const found = recognise(command)
  if (!found.simulated) throw new Error(found.reason)
  return found
}
