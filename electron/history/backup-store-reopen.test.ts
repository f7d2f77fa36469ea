import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sha256Of } from '../workspace/text-files.js'
import { openBackupStore } from './backup-store.js'

describe('a store that is opened again', () => {
  it('gives every packed backup to callers that ask at the same time', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'overturn-store-'))
    const contents = Array.from({ length: 40 }, (_, index) => Buffer.from(`content ${index}\n`))
    const batch = (await openBackupStore(folder)).batch()
    for (const bytes of contents) await batch.add(sha256Of(bytes), bytes)
    await batch.seal()
    const again = await openBackupStore(folder)
    const read = await Promise.all(contents.map((bytes) => again.readBlob(sha256Of(bytes))))
    expect(read.map((bytes) => Buffer.from(bytes).toString())).toEqual(contents.map(String))
  })
})
