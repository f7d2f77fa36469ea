import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkspace, type Workspace } from '../workspace/workspace.js'
import { inWorkspace } from './workspace-path.js'

let base: string
let workspace: Workspace

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'overturn-path-')))
  mkdirSync(join(base, 'ws/sub'), { recursive: true })
  symlinkSync(join(base, 'ws'), join(base, 'link'))
  symlinkSync(join(base, 'ws/sub'), join(base, 'inner'))
  workspace = await openWorkspace(join(base, 'ws'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const named = (path: string): unknown => {
  try {
    return inWorkspace(workspace, path.replace('BASE', base))
  } catch (thrown) {
    return (thrown as { readonly code?: string }).code
  }
}

describe('a path that an agent names', () => {
  it.each([
    ['a/b.ts', 'a/b.ts'],
    ['./a//b/./c', 'a/b/c'],
    ['.', ''],
    ['', ''],
    ['..a/b', '..a/b'],
    ['BASE/ws/a', 'a'],
    ['BASE/ws/..a', '..a'],
    ['BASE/ws', ''],
    ['BASE/ws/', ''],
    ['BASE/link', ''],
    ['BASE/link/a', 'a'],
    ['BASE/link/new/deep/a', 'new/deep/a'],
    ['BASE/inner/a', 'sub/a'],
    ['BASE/ws/sub/../a', 'a'],
    ['..', 'OUTSIDE_WORKSPACE'],
    ['a/../../b', 'OUTSIDE_WORKSPACE'],
    ['a/../b', 'OUTSIDE_WORKSPACE'],
    ['BASE', 'OUTSIDE_WORKSPACE'],
    ['BASE/ws2/a', 'OUTSIDE_WORKSPACE'],
    ['BASE/ws-other', 'OUTSIDE_WORKSPACE'],
    ['BASE/link/../other', 'OUTSIDE_WORKSPACE'],
    ['/', 'OUTSIDE_WORKSPACE'],
    ['/etc/passwd', 'OUTSIDE_WORKSPACE'],
    ['BASE/ws\0/a', 'OUTSIDE_WORKSPACE'],
  ])('%s is %j', (path, expected) => {
    expect(named(path)).toBe(expected)
  })
})
