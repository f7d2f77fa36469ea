import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { judgeCommand } from './command-policy.js'
import { leadsOutside } from './leads-outside.js'
import { defaultPolicy } from './policy-shape.js'
import { anyName } from './shell-fields.js'

let folder = ''
let root = ''
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'leads-')))
  root = join(folder, 'workspace')
  mkdirSync(join(root, 'src'), { recursive: true })
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/token'), 'secret')
  writeFileSync(join(root, 'src/a.ts'), 'a\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const verdicts = (...commands: readonly string[]) =>
  commands.map((command) => {
    const places = { workspaceRoot: root, directory: root, home: '/home/u', leadsOutside: (path: string) => leadsOutside(root, path, anyName) }
    return judgeCommand(command, { ...places, settings: defaultPolicy, taint: 'PUBLIC', isPlanMode: false, branch: null, shell: 'bash' }).verdict
  })

describe('reading through a link', () => {
  it.skipIf(process.platform === 'win32')('asks where the link leads outside the workspace', () => {
    symlinkSync('../data', join(root, 'out'))
    symlinkSync('src', join(root, 'in'))
    expect(verdicts('cat out/token', 'grep -r e out', 'cat o*/token', 'wc -c < out/token', 'cd src && cat ../out/token')).toEqual(Array(5).fill('asks'))
    expect(verdicts('cat in/a.ts', 'cat src/a.ts', 'cat src/*.ts', 'cat gone/a.ts', 'ls')).toEqual(Array(5).fill('allowed'))
  })

  it.skipIf(process.platform === 'win32')('asks where .. goes up from a link, as the system takes it', () => {
    mkdirSync(join(root, 'src/deep'))
    symlinkSync('../..', join(root, 'src/deep/up'))
    const climbing = [
      'cat src/deep/up/../data/token',
      'cat "$PWD/src/deep/up/../data/token"',
      'cat src/deep/../deep/up/../data/token',
      'cd src/deep/up && cat ../data/token',
      'cd src/deep/up; cat ../data/token',
      'cd src/deep && cat up/../data/token',
      'cd -P src/deep/up && cd .. && ls',
      'cd src/deep/up/.. && ls',
      'pushd src/deep/up && cat ../data/token',
      'grep -r secret src/deep/up/..',
      'ls src/deep/up/..',
      'ls src/deep/up/../',
      'find src/deep/up/.. -name token',
      'comm -3 src/deep/up/../data/token src/a.ts',
      'head -1 < src/deep/up/../data/token',
      'cat src/*/up/../data/token',
      'cat src/deep/u*/../data/token',
      'cat src/deep/up/../.git/HEAD',
      'git log -- src/deep/up/../data',
      'grep -f src/deep/up/../data/token src/a.ts',
    ]
    expect(verdicts(...climbing)).toEqual(climbing.map(() => 'asks'))
    const plain = ['cat src/deep/../a.ts', 'cat gone/../src/a.ts', 'cat src/deep/up/src/../src/a.ts', 'cd src/deep && cat ../a.ts', 'cd src/deep/up && ls src', 'cat .git/HEAD']
    expect(verdicts(...plain)).toEqual(plain.map(() => 'allowed'))
  })

  it.skipIf(process.platform === 'win32')('asks before it goes to a folder outside', () => {
    symlinkSync('../data', join(root, 'out'))
    expect(verdicts('cd out && ls', 'cd o*t && ls', 'cd src && ls')).toEqual(['asks', 'asks', 'allowed'])
  })

  it.skipIf(process.platform === 'win32')('asks where a pattern finds such a link in a folder of any depth', () => {
    mkdirSync(join(root, 'a/b/c'), { recursive: true })
    mkdirSync(join(root, 'plain/deep'), { recursive: true })
    symlinkSync('../../../data', join(root, 'a/b/out'))
    symlinkSync('a', join(root, 'round'))
    expect(verdicts('cat */*/out/token', 'cat a/*/o*/token', 'cat */b/*/token', 'cat r*/b/*/token', 'shopt -s globstar; cat **/token', 'cat a/b/*')).toEqual(Array(6).fill('asks'))
    expect(verdicts('cat plain/*/token', 'cat */deep/*', 'cat a/b/c/*', 'cat a/b/c*')).toEqual(Array(4).fill('allowed'))
  })

  it.skipIf(process.platform === 'win32')('asks where there is more than can be looked at', () => {
    for (let n = 0; n < 150; n++) {
      mkdirSync(join(root, `many/d${n}`), { recursive: true })
      for (let m = 0; m < 150; m++) writeFileSync(join(root, `many/d${n}/f${m}`), '')
    }
    expect(verdicts('cat many/*/*', 'cat many/d1/*')).toEqual(['asks', 'allowed'])
  })

  it.skipIf(process.platform === 'win32')('asks of a link that leads round in a circle', () => {
    symlinkSync('round', join(root, 'round'))
    expect(verdicts('cat round')).toEqual(['asks'])
  })
})
