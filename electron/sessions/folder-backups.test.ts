import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderBackups } from './folder-backups.js'

const session = '5e551011-0000-4000-8000-000000000001'

function newHomes(): { near: string; far: string; root: string } {
  const root = mkdtempSync(join(tmpdir(), 'overturn-backups-'))
  const near = join(root, 'near')
  const far = join(root, 'far')
  for (const home of [near, far]) mkdirSync(join(home, session), { recursive: true })
  return { near, far, root }
}

describe('the backups of a session', () => {
  it('are read byte for byte with their mode, from the nearest home that has them', async () => {
    const { near, far } = newHomes()
    const bytes = Buffer.from([0, 255, 128, 10, 13])
    writeFileSync(join(near, session, 'both@v1'), bytes)
    chmodSync(join(near, session, 'both@v1'), 0o600)
    writeFileSync(join(far, session, 'both@v1'), 'other')
    writeFileSync(join(far, session, 'far@v1'), '')
    const backups = folderBackups([near, far], session)
    expect([
      await backups.read('both@v1'),
      await backups.sizeOf('both@v1'),
      (await backups.read('far@v1')).kind,
      await backups.sizeOf('far@v1'),
      await backups.read('none@v1'),
      await backups.sizeOf('none@v1'),
      [...(await backups.names())].sort(),
    ]).toEqual([{ kind: 'bytes', bytes, mode: 0o600 }, 5, 'bytes', 0, { kind: 'missing' }, null, ['both@v1', 'far@v1']])
  })

  it('have a mode only where the store cannot have lost it', async () => {
    const { near } = newHomes()
    const put = (name: string, mode: number): void => {
      writeFileSync(join(near, session, name), name)
      chmodSync(join(near, session, name), mode)
    }
    const modes = async (exactHomes: readonly string[]): Promise<unknown> => {
      const backups = folderBackups([near], session, exactHomes)
      return Promise.all(['plain@v1', 'script@v1'].map(async (name) => Reflect.get(await backups.read(name), 'mode')))
    }
    put('plain@v1', 0o444)
    put('script@v1', 0o555)
    const copied = [await modes([]), await modes([near])]
    put('secret@v1', 0o600)
    expect([...copied, await modes([])]).toEqual([[null, 0o755], [0o444, 0o555], [0o444, 0o555]])
  })

  it.each(['../secret', '..', '.', '', '/etc/passwd', 'a/b', 'a\\b', 'a\0', '.hidden', 'link@v1', 'folder@v1', 'x'.repeat(300)])(
    'are never read outside of their folder: %j',
    async (name) => {
      const { near, root } = newHomes()
      writeFileSync(join(root, 'secret'), 'secret')
      writeFileSync(join(near, 'secret'), 'secret')
      symlinkSync(join(root, 'secret'), join(near, session, 'link@v1'))
      mkdirSync(join(near, session, 'folder@v1'))
      const backups = folderBackups([near], session)
      expect([await backups.read(name), await backups.sizeOf(name), (await backups.names()).has(name)]).toEqual([{ kind: 'missing' }, null, false])
    },
  )

  it.each(['..', '../other', 'a/b', '', '.'])('are not looked for under the session id %j', async (id) => {
    const { near, root } = newHomes()
    writeFileSync(join(root, 'plain'), 'x')
    writeFileSync(join(near, 'plain'), 'x')
    expect(await folderBackups([near], id).read('plain')).toEqual({ kind: 'missing' })
  })

  it('are not looked for in a folder that is a link', async () => {
    const { near, root } = newHomes()
    mkdirSync(join(root, 'elsewhere'))
    writeFileSync(join(root, 'elsewhere', 'a@v1'), 'x')
    symlinkSync(join(root, 'elsewhere'), join(near, 'linked-session'))
    const backups = folderBackups([near], 'linked-session')
    expect([await backups.read('a@v1'), (await backups.names()).size]).toEqual([{ kind: 'missing' }, 0])
  })
})
