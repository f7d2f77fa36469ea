import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileTable } from './file-table.js'
import { openTreeWatch, type TreeWatch } from './tree-watch.js'

describe.runIf(process.platform === 'linux')('tree watch', () => {
  let folder = ''
  let watch: TreeWatch | null = null
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'overturn-watch-'))
  })
  afterEach(() => {
    watch?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('has told of every change that another process made before it was asked', async () => {
    const table = new FileTable(0n)
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    watch = await openTreeWatch(join(folder, 'data'), true, () => undefined)
    const folders = names.map((name) => {
      const path = join(folder, name)
      mkdirSync(path)
      const added = table.addFolder(table.root, name, 0n)
      watch?.watch(added, path, statSync(path, { bigint: true }).dev)
      return added
    })
    for (let round = 0; round < 40; round++) {
      execFileSync('touch', names.map((name) => join(folder, name, `${round}`)))
      const hints = await watch.take()
      expect(hints.kind === 'names' && folders.filter((each) => hints.names.get(each)?.has(`${round}`)).length).toBe(names.length)
    }
  })

  it('says that it cannot tell when it was not wanted', async () => {
    watch = await openTreeWatch(join(folder, 'data'), false, () => undefined)
    expect([watch.state(), await watch.take()]).toEqual([{ kind: 'off', reason: 'Watching is turned off.' }, { kind: 'all' }])
  })

  it('turns itself off where a file system tells of nothing', async () => {
    watch = await openTreeWatch(join(folder, 'data'), true, () => undefined)
    watch.watch(new FileTable(0n).root, '/proc/self', statSync('/proc/self', { bigint: true }).dev)
    expect(watch.state()).toEqual({ kind: 'off', reason: 'The disk that holds the workspace, or a part of it, does not tell of changes.' })
  })

  it('removes what a killed process has left, and nothing of a living one', async () => {
    const [dead, living] = [join(folder, 'data', 'watch', '4194999-a'), join(folder, 'data', 'watch', `${process.ppid}-b`)]
    for (const each of [dead, living]) mkdirSync(each, { recursive: true })
    watch = await openTreeWatch(join(folder, 'data'), true, () => undefined)
    expect([existsSync(dead), existsSync(living)]).toEqual([false, true])
  })
})
