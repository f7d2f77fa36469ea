import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dataFolderPath, openDataFolder, openSettings } from './settings.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'settings-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = (): string => join(folder, 'settings.json')

describe('dataFolderPath', () => {
  it('takes our variable, else the usual place of the system', () => {
    expect([
      dataFolderPath({ OVERTURN_DATA_DIR: '/x/y' }, 'linux', '/home/me'),
      dataFolderPath({ OVERTURN_DATA_DIR: 'x/../y' }, 'linux', '/home/me'),
      dataFolderPath({}, 'linux', '/home/me'),
      dataFolderPath({ XDG_DATA_HOME: '/data' }, 'linux', '/home/me'),
      dataFolderPath({ XDG_DATA_HOME: 'relative' }, 'linux', '/home/me'),
      dataFolderPath({}, 'darwin', '/Users/me'),
      dataFolderPath({ APPDATA: 'C:\\Users\\me\\AppData\\Roaming' }, 'win32', 'C:\\Users\\me'),
    ]).toEqual([
      '/x/y',
      join(process.cwd(), 'y'),
      '/home/me/.local/share/overturn',
      '/data/overturn',
      '/home/me/.local/share/overturn',
      '/Users/me/Library/Application Support/Overturn',
      'C:\\Users\\me\\AppData\\Roaming\\Overturn',
    ])
  })
})

describe('openDataFolder', () => {
  it.runIf(process.platform === 'linux')('gives up where nothing can be made', () => {
    expect(() => openDataFolder('/proc/nope/data')).toThrow('The data folder cannot be made.')
  })

  it('makes the folder for this user only', () => {
    openDataFolder(join(folder, 'a/b'))
    expect(statSync(join(folder, 'a/b')).mode & 0o777).toBe(0o700)
  })

  it('says so when a file stands in its place', () => {
    writeFileSync(join(folder, 'taken'), '')
    expect(() => openDataFolder(join(folder, 'taken/data'))).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE' }))
  })
})

describe('openSettings', () => {
  it('starts with defaults and writes nothing', async () => {
    const settings = await openSettings(folder)
    expect([settings.current(), settings.problem(), existsSync(file())]).toEqual([{ attachments: {}, locations: [], historyLimitBytes: 2_000_000_000, historyMaxAgeDays: 365 }, null, false])
  })

  it('keeps what was changed, also what a later version wrote, over a restart', async () => {
    writeFileSync(file(), '{"fromTheFuture": 1}')
    const settings = await openSettings(folder)
    await Promise.all([
      settings.update((now) => ({ ...now, attachments: { ...now.attachments, s1: '/a' } })),
      settings.update((now) => ({ ...now, attachments: { ...now.attachments, s2: '/b' } })),
    ])
    const again = await openSettings(folder)
    expect([again.current().attachments, (JSON.parse(readFileSync(file(), 'utf8')) as Record<string, unknown>)['fromTheFuture']]).toEqual([{ s1: '/a', s2: '/b' }, 1])
  })

  it('names the line of a slip, keeps the last good settings, and never overwrites the file', async () => {
    const settings = await openSettings(folder)
    await settings.update((now) => ({ ...now, locations: ['/logs'] }))
    const broken = '{\n  "locations": ["/logs"],\n  "historyLimitBytes": ,\n}\n'
    writeFileSync(file(), broken)
    await settings.reload()
    const afterRestart = await openSettings(folder)
    await expect(afterRestart.update((now) => now)).rejects.toMatchObject({ code: 'INVALID_PARAMS', details: { line: 3 } })
    expect([settings.current().locations, settings.problem(), afterRestart.current().locations, readFileSync(file(), 'utf8')]).toEqual([
      ['/logs'],
      expect.stringMatching(/^settings\.json, line 3: /),
      ['/logs'],
      broken,
    ])
  })

  it('names the line of a wrong value', async () => {
    writeFileSync(file(), '{\n  "locations": [],\n  "attachments": {\n    "s1": "/a",\n    "s2": 7\n  }\n}\n')
    expect((await openSettings(folder)).problem()).toMatch(/^settings\.json, line 5: .*attachments\.s2/)
  })
})
