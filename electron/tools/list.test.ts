import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listDirectory, maxListedEntries, printedName } from './list.js'

const isRoot = process.getuid?.() === 0
let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'list-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const list = (name = '.'): ReturnType<typeof listDirectory> => listDirectory({ absolute: join(root, name) }, name)
const refusal = (name: string): Promise<string> => list(name).then(() => 'listed', ({ code, message }: { code: string; message: string }) => `${code} ${message}`)

describe('listDirectory', () => {
  it('gives all entries by name, with kind, size and target', async () => {
    mkdirSync(join(root, 'src'))
    mkdirSync(join(root, '.git'))
    writeFileSync(join(root, 'b.txt'), 'four')
    writeFileSync(join(root, '.env'), '')
    symlinkSync('nowhere', join(root, 'link'))
    if (process.platform !== 'win32') spawnSync('mkfifo', [join(root, 'pipe')])
    const { entries, ...rest } = await list()
    const shown = entries.map((entry) => [printedName(entry), entry.kind, entry.sizeBytes, entry.target])
    expect([shown, rest]).toEqual([
      [['.env', 'file', 0, null], ['.git/', 'folder', null, null], ['b.txt', 'file', 4, null], ['link', 'link', null, 'nowhere'], ['pipe', 'other', null, null], ['src/', 'folder', null, null]],
      { totalCount: 6, isCut: false, cutWhy: null },
    ])
  })

  it('gives the first 2,000 and says how many there are', async () => {
    for (let at = 0; at <= maxListedEntries; at++) writeFileSync(join(root, `f${String(at).padStart(5, '0')}`), '')
    const { entries, ...rest } = await list()
    expect([entries.length, entries.at(-1)?.name, rest]).toEqual([
      2000, 'f01999', { totalCount: 2001, isCut: true, cutWhy: 'Only the first 2,000 of 2,001 entries are shown. Search for names to see the others.' },
    ])
  })

  it('refuses what is no folder, is not there, or is a link', async () => {
    writeFileSync(join(root, 'file'), '')
    symlinkSync('.', join(root, 'link'))
    expect([await refusal('gone'), await refusal('file'), await refusal('link')]).toEqual([
      'FOLDER_NOT_FOUND There is no folder gone. List the folder above to see what is there.',
      'FILE_UNREADABLE file is no folder. Read it as a file, or list the folder it lies in.',
      'FILE_UNREADABLE link is a link to ".". List that folder instead.',
    ])
  })

  it.skipIf(isRoot)('refuses a folder that may not be read', async () => {
    mkdirSync(join(root, 'shut'), { mode: 0 })
    const said = await refusal('shut')
    chmodSync(join(root, 'shut'), 0o700)
    expect(said).toMatch(/^PERMISSION_DENIED shut /)
  })

  it.skipIf(process.platform !== 'linux')('marks names that are no UTF-8', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff])]), 'x')
    expect((await list()).entries).toEqual([{ name: 'bad\ufffd', isNameLossy: true, kind: 'gone', sizeBytes: null, target: null }])
  })
})
