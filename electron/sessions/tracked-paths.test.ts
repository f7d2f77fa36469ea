import { describe, expect, it } from 'vitest'
import { calledPath, trackedPath } from './tracked-paths.js'

describe('a tracked path', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['Größe/a b.md', 'Größe/a b.md'],
    ['...', '...'],
    ['/home/dev/acme/src/a.ts', 'src/a.ts'],
    ['/home/dev/acme-other/a.ts', '/home/dev/acme-other/a.ts'],
    ['/etc/hosts', '/etc/hosts'],
  ])('%j is %j', (recorded, expected) => {
    expect(trackedPath(recorded, '/home/dev/acme')).toBe(expected)
  })

  it.each(['', '.', '..', '../a', 'a/../b', 'a/..', './a', 'a//b', 'a/', '/', '//a', '/home/dev/acme', '/home/dev/acme/', '/home/dev/acme/../x'])(
    '%j is hostile',
    (recorded) => {
      expect(trackedPath(recorded, '/home/dev/acme')).toBeNull()
    },
  )

  it.each(['a\0b', 'C:\\a', 'C:a', 'c:/a'])('%j is hostile', (recorded) => {
    expect(trackedPath(recorded, '/home/dev/acme')).toBeNull()
  })

  it.each(['a\\b', '..\\a', '\\\\server\\share'])('%j is a name where a backslash is a letter, and hostile elsewhere', (recorded) => {
    expect([trackedPath(recorded, '/home/dev/acme'), trackedPath(recorded, null)]).toEqual([process.platform === 'win32' ? null : recorded, null])
  })

  it('is hostile when it is longer than a path can be', () => {
    expect(trackedPath('x'.repeat(5000), '/home/dev/acme')).toBeNull()
  })

  it.each([
    ['src\\a.ts', 'src/a.ts'],
    ['C:\\acme\\src\\a.ts', 'src/a.ts'],
    ['D:\\other\\a.ts', 'D:/other/a.ts'],
    ['..\\a.ts', null],
    ['C:a.ts', null],
  ])('of a log from Windows, %j is %j', (recorded, expected) => {
    expect(trackedPath(recorded, 'C:\\acme')).toBe(expected)
  })
})

describe('a path that a tool call names', () => {
  it.each([
    ['/home/dev/acme/src/../a.ts', 'a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['/home/dev/acme/../x.ts', '/home/dev/x.ts'],
    ['../x.ts', null],
    ['', null],
    ['/..', null],
  ])('%j is %j', (named, expected) => {
    expect(calledPath(named, '/home/dev/acme')).toBe(expected)
  })
})
