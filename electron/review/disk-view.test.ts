import { execFileSync } from 'node:child_process'
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'
import { createDiskView } from './disk-view.js'

describe('the view of the disk', () => {
  it('tells what cannot be read from what lies outside', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'overturn-view-'))
    writeFileSync(join(folder, 'a.txt'), 'a')
    execFileSync('mkfifo', [join(folder, 'pipe')])
    symlinkSync(tmpdir(), join(folder, 'away'))
    const view = createDiskView(await openWorkspace(folder), createDiskStates())
    const states = await Promise.all(
      ['a.txt', 'none', 'pipe', 'away/x', '../x'].map(async (path) => {
        const { state } = (await view.look(workspacePath(path))).content
        return state.kind === 'unknown' ? state.reason : state.kind
      }),
    )
    expect(states).toEqual(['file', 'absent', 'unreadable', 'outside-workspace', 'outside-workspace'])
  })
})
