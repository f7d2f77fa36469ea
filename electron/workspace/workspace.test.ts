import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { isGitName, openWorkspace, type Workspace } from './workspace.js'

let folder = ''
let workspace: Workspace
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'workspace-'))
  mkdirSync(join(folder, 'ws/src'), { recursive: true })
  writeFileSync(join(folder, 'ws/src/a.ts'), 'a')
  writeFileSync(join(folder, 'secret'), 's')
  workspace = await openWorkspace(join(folder, 'ws'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function refusal(path: string): unknown {
  try {
    return workspace.resolveInside(path).absolute
  } catch (thrown) {
    return thrown instanceof ReviewError && thrown.code === 'OUTSIDE_WORKSPACE' ? thrown.details['why'] : thrown
  }
}

describe('openWorkspace', () => {
  it('takes the real path of a folder behind a link', async () => {
    symlinkSync(join(folder, 'ws'), join(folder, 'alias'))
    expect((await openWorkspace(join(folder, 'alias'))).root).toBe(workspace.root)
  })

  it('refuses a folder that is not there, and a file', async () => {
    await expect(openWorkspace(join(folder, 'gone'))).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' })
    await expect(openWorkspace(join(folder, 'secret'))).rejects.toMatchObject({ code: 'WORKSPACE_MISSING' })
  })
})

describe('resolveInside', () => {
  it('gives the place of a file, of a missing one, and of one whose folders are missing too', () => {
    const found = ['src/a.ts', 'src/b.ts', 'x/y/z.ts'].map((path) => {
      const place = workspace.resolveInside(path)
      return [place.absolute, place.folder, place.stats?.isFile() ?? null]
    })
    const at = (path: string): string => join(workspace.root, path)
    expect(found).toEqual([
      [at('src/a.ts'), at('src'), true],
      [at('src/b.ts'), at('src'), null],
      [at('x/y/z.ts'), at('x/y'), null],
    ])
  })

  it.each(['', '.', '..', '../secret', 'src/../../secret', '/etc/passwd', 'src//a.ts', 'src/', './src/a.ts', 'src/a\0.ts', '\0', `${'x'.repeat(300)}`])('refuses %j as outside', (path) => {
    expect(refusal(path)).toBe('outside')
  })

  it('never goes through a link, wherever it leads, also a link to a folder inside', () => {
    symlinkSync('..', join(folder, 'ws/up'))
    symlinkSync('src', join(folder, 'ws/alias'))
    symlinkSync('/nowhere/at/all', join(folder, 'ws/dangling'))
    expect(['up/secret', 'alias/a.ts', 'dangling/x', 'src/../up/secret'].map(refusal)).toEqual(['link', 'link', 'link', 'outside'])
  })

  it('gives a link itself, and never what it leads to', () => {
    symlinkSync('../secret', join(folder, 'ws/out'))
    const place = workspace.resolveInside('out')
    expect([place.absolute, place.stats?.isSymbolicLink()]).toEqual([join(workspace.root, 'out'), true])
  })

  it('refuses a path whose folder is a file', () => {
    expect(refusal('src/a.ts/b')).toBe('file')
  })

  it('refuses all that is git\'s, at any depth, under any name that a file system takes for it', () => {
    mkdirSync(join(folder, 'ws/nested/.git/hooks'), { recursive: true })
    const paths = ['.git', '.git/config', 'nested/.git/hooks/post-commit', '.GIT/config', 'src/.Git', '.git./config', '.g\u200cit/config', 'git~1/config', '.git::$INDEX_ALLOCATION/x']
    expect(paths.map(refusal)).toEqual(paths.map(() => 'git'))
    expect(['.gitignore', '.github/x.yml', 'git', 'digit', 'a.git'].map(isGitName)).toEqual([false, false, false, false, false])
  })

  it.runIf(process.platform !== 'win32')('refuses a pipe', () => {
    execFileSync('mkfifo', [join(folder, 'ws/pipe')])
    expect(refusal('pipe')).toBe('device')
  })

  it('opens the existing file under another Unicode form of its name, and makes no twin', () => {
    writeFileSync(join(folder, 'ws/cafe\u0301.txt'), 'nfd')
    mkdirSync(join(folder, 'ws/Gr\u00f6\u00dfe'))
    writeFileSync(join(folder, 'ws/Gr\u00f6\u00dfe/a b.md'), 'nfc')
    expect([refusal('caf\u00e9.txt'), refusal('Gro\u0308\u00dfe/a b.md'), refusal('na\u00efve.txt')]).toEqual([
      join(workspace.root, 'cafe\u0301.txt'),
      join(workspace.root, 'Gr\u00f6\u00dfe/a b.md'),
      join(workspace.root, 'na\u00efve.txt'),
    ])
  })

  it('takes names as the disk has them: quotes, tabs, line feeds, dashes, arrows', () => {
    const names = ['a"b', 'tab\there', 'line\nfeed', '-rf', 'a -> b', ' lead', 'back\\slash']
    for (const name of names) writeFileSync(join(folder, 'ws', name), '')
    expect(names.map(refusal)).toEqual(names.map((name) => `${workspace.root}/${name}`))
  })

  it('looks at a folder once in a pass, and again in the next', () => {
    const resolve = workspace.pass()
    resolve('src/a.ts')
    rmSync(join(folder, 'ws/src'), { recursive: true })
    symlinkSync('..', join(folder, 'ws/src'))
    expect([resolve('src/b.ts').stats, refusal('src/b.ts')]).toEqual([null, 'link'])
  })
})
