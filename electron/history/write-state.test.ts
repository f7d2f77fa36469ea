import { lstatSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { createDiskStates, type DiskStates, type Seen } from '../workspace/disk-states.js'
import { stateOf, tempHistory, type TempHistory } from '../testing/temp-history.js'
import { isState, writeState } from './write-state.js'

let temp: TempHistory
beforeEach(async () => {
  temp = await tempHistory({ a: 'robot' })
})
afterEach(() => temp.dispose())

const bytes = Buffer.from('old')

function write(before: Partial<Seen>, disk: DiskStates = createDiskStates()): ReturnType<typeof writeState> {
  const seen: Seen = { state: stateOf('robot'), stats: lstatSync(temp.at('a')), isSettled: true, bytes: null, ...before }
  return writeState(temp.workspace.resolveInside('a'), disk, 'op', { path: workspacePath('a'), before: seen, after: stateOf('old'), bytes, index: 0 })
}

describe('writeState', () => {
  it('writes and gives the state that it read back', async () => {
    expect([await write({}), readFileSync(temp.at('a'), 'utf8')]).toEqual([{ ...stateOf('old'), mode: 0o644 }, 'old'])
  })

  it('reads a file again whose times cannot tell whether it was written after the look', async () => {
    temp.put('a', 'typed')
    await expect(write({ isSettled: false })).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
    expect(readFileSync(temp.at('a'), 'utf8')).toBe('typed')
  })

  it('fails when the disk does not give back what was written', async () => {
    const real = createDiskStates()
    const forgetful: DiskStates = { ...real, look: () => Promise.resolve({ state: stateOf('other'), stats: null, isSettled: true, bytes: null }) }
    await expect(write({}, forgetful)).rejects.toMatchObject({ code: 'FILE_CHANGED_SINCE_READ' })
  })
})

describe('isState', () => {
  it('lets an unknown mode match any, and an unknown state none', () => {
    const file = stateOf({ text: 'a', mode: 0o644 })
    expect([isState(file, stateOf('a')), isState(file, stateOf({ text: 'a', mode: 0o600 })), isState(stateOf({ unknown: 'unreadable' }), stateOf({ unknown: 'unreadable' })), isState(stateOf(null), stateOf(null))]).toEqual([
      true,
      false,
      false,
      true,
    ])
  })
})
