import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createBaseTree } from './base-tree.js'

let root = ''
const git = (...args: readonly string[]): string => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid', ...args], { cwd: root, encoding: 'utf8' }).trim()
const put = (path: string, text: string): void => writeFileSync(join(root, path), text)

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'base-tree-')))
  git('init', '-q', '-b', 'work')
  mkdirSync(join(root, 'a folder'))
  put('same', 'same\n')
  put('changed', 'one\n')
  put('gone', 'gone\n')
  put('a folder/ü "x".txt', 'odd\n')
  put('run.sh', '#!/bin/sh\n')
  symlinkSync('same', join(root, 'link'))
  git('add', '-A')
  git('commit', '-q', '-m', 'base')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function textsOf(commit: string): Promise<Record<string, string>> {
  const files = await createBaseTree(root, commit).differing()
  const texts = await Promise.all([...files].map(async ([path, { content }]) => [path, content.state.kind === 'file' ? Buffer.from(await content.read()).toString('utf8') : content.state.kind] as const))
  return Object.fromEntries(texts)
}

it('tells what a commit holds of the files that may differ now, committed since or not, and runs no filter', async () => {
  const commit = git('rev-parse', 'HEAD')
  put('.gitattributes', '* filter=evil\n')
  git('config', 'filter.evil.clean', `touch ${join(root, 'EVIL')}; cat`)
  put('changed', 'two\n')
  put('a folder/ü "x".txt', 'odder\n')
  git('-c', 'filter.evil.clean=cat', 'commit', '-q', '-am', 'later')
  rmSync(join(root, 'gone'))
  chmodSync(join(root, 'run.sh'), 0o755)
  put('new', 'new\n')
  rmSync(join(root, 'link'))
  const texts = await textsOf(commit)
  expect(texts).toEqual({ '.gitattributes': 'absent', changed: 'one\n', 'a folder/ü "x".txt': 'odd\n', gone: 'gone\n', 'run.sh': '#!/bin/sh\n', new: 'absent', link: 'unknown' })
})

it('says so when the commit is not there', async () => {
  await expect(createBaseTree(root, 'f'.repeat(40)).differing()).rejects.toMatchObject({ code: 'CONTENT_UNKNOWN' })
})
