import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { openWorkspace, type Workspace } from './workspace.js'

let folder = ''
let workspace: Workspace

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paths-'))
  const at = (path: string): string => join(folder, path)
  for (const path of ['ws/src/deep', 'ws/sub/.git/hooks', 'ws/.git', 'ws-2', 'ws/.github', 'ws/...', 'ws/ ']) mkdirSync(at(path), { recursive: true })
  for (const path of ['secret', 'ws-2/a', 'ws/a', 'ws/src/a', 'ws/src/deep/a', 'ws/.gitignore', 'ws/.git/config']) writeFileSync(at(path), path)
  const links = {
    up: '..',
    self: '.',
    away: '/etc',
    inside: 'src',
    loop: 'loop',
    dangling: 'nowhere',
    file: '../secret',
    tail: 'src/a',
    'src/back': '../..',
    git: '.git',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, at(`ws/${name}`))
  linkSync(at('ws/a'), at('ws/hard'))
  if (process.platform !== 'win32') execFileSync('mkfifo', [at('ws/pipe')])
  workspace = await openWorkspace(at('ws'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Where a path leads below the workspace, or why it may not be touched. */
function lead(path: string): string {
  try {
    const { absolute } = workspace.resolveInside(path)
    return absolute.startsWith(`${workspace.root}/`) ? absolute.slice(workspace.root.length + 1) : `OUTSIDE ${absolute}`
  } catch (thrown) {
    return thrown instanceof ReviewError && thrown.code === 'OUTSIDE_WORKSPACE'
      ? `refused: ${String(thrown.details['why'])}`
      : `threw ${String(thrown)}`
  }
}

const table: readonly (readonly [group: string, expected: string, paths: readonly string[]])[] = [
  [
    'dots',
    'refused: outside',
    [
      '..',
      '../',
      '../ws/a',
      '../secret',
      '../ws-2/a',
      'src/..',
      'src/../a',
      'src/../../secret',
      'src/deep/../../../secret',
      './a',
      '.',
      'src/./a',
      'new/../../secret',
      '../../../../etc/passwd',
    ],
  ],
  [
    'absolute paths',
    'refused: outside',
    ['/', '/etc/passwd', '//etc/passwd', '/a', '/proc/self/root/etc/passwd', '/dev/null', '/dev/sda', '/proc/self/fd/1'],
  ],
  ['empty names', 'refused: outside', ['', '/', 'src//a', 'a/', 'src/', '//', 'new//x']],
  ['NUL bytes', 'refused: outside', ['\0', 'a\0', 'a\0.txt', 'src\0/a', '\0/../secret', 'src/\0']],
  ['names too long', 'refused: outside', ['x'.repeat(256), `src/${'x'.repeat(300)}`, 'é'.repeat(200)]],
  [
    'links on the way',
    'refused: link',
    [
      'up/secret',
      'self/a',
      'away/passwd',
      'inside/a',
      'loop/a',
      'dangling/a',
      'file/x',
      'src/back/secret',
      'inside/deep/a',
      'git/config',
      'up/ws/a',
      'away/new/file',
    ],
  ],
  ['files on the way', 'refused: file', ['a/b', 'src/a/b', 'src/a/b/c', 'hard/x']],
  [
    'git',
    'refused: git',
    [
      '.git',
      '.git/config',
      '.git/hooks/pre-commit',
      'sub/.git',
      'sub/.git/hooks/x',
      '.GIT',
      '.Git/config',
      '.gIT/x',
      'git~1',
      'GIT~1/config',
      '.git.',
      '.git ',
      '.git. .',
      '.git::$INDEX_ALLOCATION',
      '.git:stream',
      '.g\u200cit/config',
      '.gi\u200dt',
      '\ufeff.git/config',
      '．git/config',
      'new/.git/x',
    ],
  ],
]

describe('resolveInside, path by path', () => {
  it.each(table)('refuses %s (%s)', (_group, expected, paths) => {
    expect(paths.map((path) => [path, lead(path)])).toEqual(paths.map((path) => [path, expected]))
  })

  it('leads to the path itself for all names that only look odd', () => {
    const paths = [
      'a',
      'src/a',
      'src/deep/a',
      'new',
      'new/er/file',
      '...',
      '.../x',
      '....',
      '..a',
      'a..',
      '..a/b',
      ' ',
      ' /a',
      '~',
      '~/x',
      '$HOME',
      '*',
      '-rf',
      'con',
      'a:b',
      'a\\..\\b',
      '..\\secret',
      '.gitignore',
      '.github/x',
      '.gitmodules',
      'git',
      'a\nb',
      'é',
      '%2e%2e',
      '%2e%2e/secret',
      '..%2fsecret',
      'file:',
      'http:',
      'x'.repeat(255),
    ]
    if (process.platform === 'win32') return
    expect(paths.map((path) => lead(path))).toEqual(paths)
  })

  it('gives a link in the last place as itself, a hard link as the file that it is', () => {
    const names = ['up', 'self', 'away', 'inside', 'loop', 'dangling', 'file', 'tail', 'hard']
    expect(names.map((name) => [lead(name), workspace.resolveInside(name).stats?.isSymbolicLink()])).toEqual(
      names.map((name) => [name, name !== 'hard']),
    )
  })

  it.runIf(process.platform !== 'win32')('refuses a pipe', () => {
    expect([lead('pipe'), lead('pipe/x')]).toEqual(['refused: device', 'refused: file'])
  })

  it('answers for a path of thousands of names, and refuses one of a hundred thousand letters', () => {
    expect([lead(`${'a/'.repeat(5000)}x`), lead(`${'new/'.repeat(2000)}x`).length > 5000, lead('x'.repeat(100_000))]).toEqual([
      'refused: file',
      true,
      'refused: outside',
    ])
  })

  it('finds out when a folder becomes a link between two looks', () => {
    mkdirSync(join(folder, 'ws/turn'))
    const before = lead('turn/a')
    rmSync(join(folder, 'ws/turn'), { recursive: true })
    symlinkSync('..', join(folder, 'ws/turn'))
    expect([before, lead('turn/secret')]).toEqual(['turn/a', 'refused: link'])
  })
})
