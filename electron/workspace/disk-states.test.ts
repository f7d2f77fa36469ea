import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDiskStates } from './disk-states.js'
import { sha256Of } from './text-files.js'
import { openWorkspace, type Workspace } from './workspace.js'

let workspace: Workspace
beforeEach(async () => {
  workspace = await openWorkspace(mkdtempSync(join(tmpdir(), 'states-')))
})
afterEach(() => rmSync(workspace.root, { recursive: true, force: true }))

const at = (path: string): string => join(workspace.root, path)
const later = (): number => Date.now() + 10_000

describe('createDiskStates', () => {
  it('knows an unchanged file by one look', async () => {
    writeFileSync(at('a'), 'one')
    const states = createDiskStates(later)
    const before = states.known(workspace.resolveInside('a'))
    const looked = await states.look(workspace.resolveInside('a'))
    expect([before, states.known(workspace.resolveInside('a'))]).toEqual([null, looked])
  })

  it('does not trust a file that was written a moment before the read: another write may get the same times', async () => {
    writeFileSync(at('a'), 'one')
    const states = createDiskStates(() => Date.now())
    const { isSettled } = await states.look(workspace.resolveInside('a'))
    expect([isSettled, states.known(workspace.resolveInside('a'))]).toEqual([false, null])
  })

  it('notices a change of the same size with an older time', async () => {
    writeFileSync(at('a'), 'one')
    const states = createDiskStates(later)
    await states.look(workspace.resolveInside('a'))
    writeFileSync(at('a'), 'two')
    utimesSync(at('a'), new Date(0), new Date(0))
    expect((await states.look(workspace.resolveInside('a'))).state).toMatchObject({ sha256: sha256Of(Buffer.from('two')) })
  })

  it('brings the bytes along for one who may need them', async () => {
    writeFileSync(at('a'), 'one')
    symlinkSync('a', at('link'))
    const states = createDiskStates(later)
    const kept = await states.lookAndKeep(workspace.resolveInside('a'))
    const again = await states.lookAndKeep(workspace.resolveInside('a'))
    const link = await states.lookAndKeep(workspace.resolveInside('link'))
    expect([kept.bytes && Buffer.from(kept.bytes).toString(), again.bytes, link.state]).toEqual([readFileSync(at('a'), 'utf8'), null, { kind: 'link', target: 'a' }])
  })

  it('knows what is absent without reading', () => {
    expect(createDiskStates().known(workspace.resolveInside('gone'))?.state).toEqual({ kind: 'absent' })
  })
})
