import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Random } from '../testing/random.js'
import { walkFiles } from './walk-files.js'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'walk-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, content = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

async function walked(options = { respectIgnore: true, includeHidden: true }): Promise<string[]> {
  const paths: string[] = []
  await walkFiles(root, root, options, ({ folder, name }) => paths.push(folder + name) > 0)
  return paths.sort()
}

/** What git itself would track: the judge of its own rules. */
function listedByGit(): string[] {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', XDG_CONFIG_HOME: root } })
  return stdout.toString().split('\0').filter((path) => path !== '').sort()
}

describe('walkFiles', () => {
  it('obeys the rules that git has for its ignore files', async () => {
    spawnSync('git', ['init', '-q'], { cwd: root })
    const rules = ['# note', '\\#hash', '\\!bang', '*.log', '!keep.log', '/top', 'dir/', 'a/**/z', '**/deep', 'x/**', 'q?.[ab]', 'n[!0-9]', 'blank\\ ', 'end   ', '', '/', 'mid/part']
    write('.gitignore', `${rules.join('\n')}\n`)
    write('sub/.gitignore', '!*.log\nlocal\r\n')
    for (const folder of ['', 'sub/', 'a/', 'a/b/', 'x/', 'mid/', 'dir/', 'sub/dir/']) {
      for (const name of ['#hash', '!bang', 'a.log', 'keep.log', 'top', 'z', 'deep', 'qq.a', 'q.a', 'qx.c', 'n1', 'nx', 'blank ', 'end', 'local', 'part', 'other']) write(folder + name)
    }
    expect(await walked()).toEqual(listedByGit())
  })

  it('agrees with git on random rules', async () => {
    const random = new Random(Number(process.env['SEED'] ?? Date.now() % 1e9))
    const names = ['a', 'b', 'ab', 'a.b', '.a', 'abc', 'b.a']
    const pieces = ['a', 'b', '*', '?', '.a', 'a*', '*b', '[ab]', '[!a]', 'a.b', '*.a', '\\a']
    for (let round = 0; round < 25; round++) {
      rmSync(root, { recursive: true, force: true })
      mkdirSync(root)
      spawnSync('git', ['init', '-q'], { cwd: root })
      const folders = ['', ...Array.from({ length: 6 }, () => `${Array.from({ length: 1 + random.below(3) }, () => `d${random.pick(names)}`).join('/')}/`)]
      for (const folder of folders) for (const name of names) if (random.chance(60)) write(folder + name)
      for (const folder of folders.slice(0, 3)) {
        const rule = (): string => {
          const path = Array.from({ length: 1 + random.below(3) }, () => (random.chance(20) ? '**' : (random.chance(30) ? 'd' : '') + random.pick(pieces))).join('/')
          return `${random.chance(25) ? '!' : ''}${random.chance(25) ? '/' : ''}${path}${random.chance(25) ? '/' : ''}`
        }
        write(`${folder}.gitignore`, `${Array.from({ length: 1 + random.below(5) }, rule).join('\n')}\n`)
      }
      expect(await walked(), `SEED=${random.seed}, round ${round}`).toEqual(listedByGit())
    }
  })

  it('lets the rules for search tools stand above those of git', async () => {
    for (const path of ['.git/HEAD', 'a', 'b', 'c', 'sub/a']) write(path)
    write('.gitignore', 'a\n')
    write('.ignore', '!a\nb\n')
    write('sub/.rgignore', 'a\n')
    expect(await walked({ respectIgnore: true, includeHidden: false })).toEqual(['a', 'c'])
  })

  it('shows a hidden file that a rule keeps', async () => {
    for (const path of ['.env', '.other']) write(path)
    write('.gitignore', '!.env\n')
    expect(await walked({ respectIgnore: true, includeHidden: false })).toEqual(['.env'])
  })

  it('takes the excludes of a worktree from its repository', async () => {
    const git = (...args: string[]): void => void spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: join(root, 'main') })
    write('main/a')
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'one')
    git('worktree', 'add', '-q', '../tree')
    write('main/.git/info/exclude', 'hidden\n')
    write('tree/hidden')
    const paths: string[] = []
    await walkFiles(join(root, 'tree'), join(root, 'tree'), { respectIgnore: true, includeHidden: true }, ({ name }) => paths.push(name) > 0)
    expect(paths).toEqual(['a'])
  })

  it('lets other work of the process run, and stops when cancelled', async () => {
    for (let at = 0; at < 40; at++) write(`d${at}/f`)
    const stop = new AbortController()
    const end = walkFiles(root, root, { respectIgnore: true, includeHidden: true }, () => {
      const until = performance.now() + 2
      while (performance.now() < until);
      return true
    }, stop.signal)
    setImmediate(() => stop.abort())
    await expect(end).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})
