import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { conversionsOf } from './git-attributes.js'
import { openGitObjects } from './git-objects.js'
import { GitTrees } from './git-trees.js'

interface Repository {
  readonly folder: string
  readonly git: (...args: readonly string[]) => string
  /** Writes files and returns their tree. */
  readonly tree: (files: Readonly<Record<string, string>>) => string
}

function newRepository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-git-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: folder }).toString().trim()
  git('init', '-q')
  return {
    folder,
    git,
    tree: (files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
      git('add', '-A')
      return git('write-tree')
    },
  }
}

function open(folder: string): ReturnType<typeof openGitObjects> {
  const objects = openGitObjects({ gitFolder: join(folder, '.git'), alternates: [] })
  onTestFinished(() => objects.close())
  return objects
}

function looseFile(folder: string, name: string): string {
  return join(folder, '.git/objects', name.slice(0, 2), name.slice(2))
}

describe('objects of git', () => {
  it('are given whole, one after the other, and never what another name was asked for', async () => {
    const { folder, git } = newRepository()
    writeFileSync(join(folder, 'big'), Buffer.alloc(3_000_000, 'x'))
    writeFileSync(join(folder, 'small'), 'bytes \u0000 and\r\n')
    const [big = '', small = ''] = git('hash-object', '-w', 'big', 'small').split('\n')
    const objects = open(folder)
    const found = await Promise.all([big, '0'.repeat(40), small, 'HEAD', `${small}\n${big}`].map((name) => objects.read(name)))
    expect(found.map((object) => object && [object.type, object.bytes.length])).toEqual([['blob', 3_000_000], null, ['blob', 13], null, null])
  })

  it('are not there where the store holds other bytes under their name', async () => {
    const { folder, git } = newRepository()
    writeFileSync(join(folder, 'a'), 'true')
    const name = git('hash-object', '-w', 'a')
    chmodSync(looseFile(folder, name), 0o644)
    writeFileSync(looseFile(folder, name), deflateSync(Buffer.from('blob 5\0false')))
    writeFileSync(join(folder, 'b'), 'next')
    const next = git('hash-object', '-w', 'b')
    writeFileSync(looseFile(folder, git('hash-object', 'a')), 'no object at all')
    const objects = open(folder)
    // Git gives up on such an object; the next question is answered all the same.
    expect([await objects.read(name), (await objects.read(next))?.bytes.toString()]).toEqual([null, 'next'])
  })
})

describe('trees of git', () => {
  it('differ by files, below the folder that is asked for', async () => {
    const { folder, tree } = newRepository()
    const before = tree({ 'a/x': '1', 'a/y': '1', 'b/z': '1', same: '1' })
    rmSync(join(folder, 'b'), { recursive: true })
    const after = tree({ 'a/x': '2', 'a/new/deep': '3', b: 'now a file' })
    const trees = new GitTrees(open(folder))
    const named = async (below: string): Promise<unknown> => {
      const { found, lost } = await trees.differences(before, after, below)
      return [found.map(({ path, before: one, after: two }) => `${path} ${one ? 'was' : 'was not'} ${two ? 'is' : 'is not'}`).sort(), lost]
    }
    expect([await named(''), await named('a'), await named('none')]).toEqual([
      [['a/new/deep was not is', 'a/x was is', 'b was not is', 'b/z was is not'], []],
      [['a/new/deep was not is', 'a/x was is'], []],
      [[], []],
    ])
  })

  it('tell what can be told where a part of one is lost', async () => {
    const { folder, git, tree } = newRepository()
    const before = tree({ 'a/x': '1', 'b/y': '1' })
    const after = tree({ 'a/x': '2', 'b/y': '2' })
    const lostHalf = git('rev-parse', `${before}:a`)
    for (const name of [lostHalf, git('rev-parse', `${before}:b`), git('rev-parse', `${after}:b`)]) rmSync(looseFile(folder, name))
    const { found, lost } = await new GitTrees(open(folder)).differences(before, after, '')
    expect([found.map(({ path, before: one, after: two }) => [path, one, two?.mode]), lost]).toEqual([[['a/x', undefined, '100644']], ['b']])
  })
})

describe('attributes', () => {
  it.each([
    ['* text=auto', 'a.js', ['line-ends']],
    ['* text=auto\n*.png binary', 'deep/a.png', []],
    ['* text\nlib/** -text', 'lib/deep/a', []],
    ['lib/* eol=crlf', 'lib/deep/a', []],
    ['/a.txt filter=lfs -text', 'a.txt', ['any']],
    ['/a.txt filter=lfs', 'deep/a.txt', []],
    ['**/a.txt ident', 'deep/er/a.txt', ['any']],
    ['[a-c].txt working-tree-encoding=utf-16', 'z.txt', ['any']],
    ['"quoted name" text', 'other', ['line-ends']],
    ['[attr]mine text', 'other', ['line-ends']],
    ['# * text\n\n*.md diff=markdown', 'a.md', []],
    [`${'*a'.repeat(200)}b text`, 'a'.repeat(3_000), []],
  ] as const)('convert, or not, in case %#', (text, path, expected) => {
    expect([...conversionsOf([{ text, path }])]).toEqual(expected)
  })
})
