import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hardLimitBytes } from '../workspace/text-decoding.js'
import { sha256Of } from '../workspace/text-files.js'
import { readFileForAgent, type AgentRead, type LineRange } from './read.js'

const isRoot = process.getuid?.() === 0
let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'read-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(root, name), content)
}
const read = (name: string, range: LineRange | null = null): Promise<AgentRead> => readFileForAgent({ absolute: join(root, name) }, name, range)
const refusal = (name: string, range: LineRange | null = null): Promise<string> => read(name, range).then(({ kind }) => kind, ({ code, message }: { code: string; message: string }) => `${code} ${message}`)

describe('readFileForAgent', () => {
  it('gives a text with all that is known of it', async () => {
    const bytes = Buffer.from('\ufeffone\r\ntwo\r\n')
    write('a', bytes)
    chmodSync(join(root, 'a'), 0o640)
    expect(await read('a')).toEqual({
      kind: 'text', text: 'one\r\ntwo\r\n', encoding: 'utf-8', hasBom: true, lineEnds: 'crlf', hasFinalNewline: true, sha256: sha256Of(bytes), sizeBytes: 13,
      mode: 0o640, totalLines: 2, fromLine: 1, toLine: 2, isCut: false, cutWhy: null,
    })
  })

  it('recognises encodings', async () => {
    write('utf16', Buffer.from('\ufeffé\n', 'utf16le'))
    write('latin1', Buffer.from('caf\xe9 cr\xe8me\n', 'latin1'))
    write('empty', '')
    const shown = async (name: string): Promise<unknown> => {
      const found = await read(name)
      return found.kind === 'text' && [found.text, found.encoding, found.totalLines, found.toLine]
    }
    expect([await shown('utf16'), await shown('latin1'), await shown('empty')]).toEqual([['é\n', 'utf-16le', 1, 1], ['café crème\n', 'windows-1252', 1, 1], ['', 'utf-8', 0, 0]])
  })

  it('gives the lines that are asked for, and the hash of the whole file', async () => {
    write('a', 'one\ntwo\nthree\nfour')
    expect(await Promise.all([read('a', { fromLine: 2, lineCount: 2 }), read('a', { fromLine: 4, lineCount: 100 })])).toMatchObject([
      { text: 'two\nthree\n', fromLine: 2, toLine: 3, totalLines: 4, isCut: false, sha256: sha256Of(Buffer.from('one\ntwo\nthree\nfour')) },
      { text: 'four', fromLine: 4, toLine: 4, totalLines: 4, isCut: false },
    ])
  })

  it('cuts after 2,000 lines or 262,144 characters and says how to read on', async () => {
    write('lines', 'x\n'.repeat(2001))
    write('wide', `${'y'.repeat(99_999)}\n`.repeat(5))
    write('one', `${'é'.repeat(300_000)}\nx`)
    const shown = async (name: string, range: LineRange | null = null): Promise<unknown> => {
      const found = await read(name, range)
      return found.kind === 'text' && [found.text.length, found.fromLine, found.toLine, found.cutWhy]
    }
    expect([await shown('lines'), await shown('lines', { fromLine: 2, lineCount: 5000 }), await shown('wide', { fromLine: 2, lineCount: 4 }), await shown('one')]).toEqual([
      [4000, 1, 2000, 'These are lines 1 to 2000 of 2001. Ask for lines from 2001 on to read more.'],
      [4000, 2, 2001, null],
      [200_000, 2, 3, 'These are lines 2 to 3 of 5. Ask for lines from 4 on to read more.'],
      [262_144, 1, 1, 'Line 1 has 300,001 characters, of which the first 262,144 are given. Search the file for what you need of it.'],
    ])
  })

  it('refuses lines that the file does not have', async () => {
    write('a', 'one\n')
    expect([await refusal('a', { fromLine: 2, lineCount: 1 }), await refusal('a', { fromLine: 0, lineCount: 1 }), await refusal('a', { fromLine: 1, lineCount: 0.5 })]).toEqual([
      'INVALID_PARAMS a has 1 line. Ask for lines up to there.',
      'INVALID_PARAMS Lines are counted from 1, and at least one must be asked for.',
      'INVALID_PARAMS Lines are counted from 1, and at least one must be asked for.',
    ])
  })

  it('names what is no text, and never gives it as an empty one', async () => {
    write('image', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'))
    write('unknown', Buffer.from([1, 0, 2, 0, 3, 3]))
    write('large', '')
    truncateSync(join(root, 'large'), hardLimitBytes + 1)
    mkdirSync(join(root, 'folder'))
    symlinkSync('image', join(root, 'link'))
    expect(await Promise.all(['image', 'unknown', 'large', 'folder', 'link'].map((name) => read(name)))).toEqual([
      { kind: 'binary', sizeBytes: 10, mode: expect.any(Number), sha256: expect.stringMatching(/^[\da-f]{64}$/), typeGuess: 'PNG image' },
      { kind: 'binary', sizeBytes: 6, mode: expect.any(Number), sha256: expect.stringMatching(/^[\da-f]{64}$/), typeGuess: null },
      { kind: 'oversized', sizeBytes: hardLimitBytes + 1 },
      { kind: 'folder' },
      { kind: 'link', target: 'image' },
    ])
  })

  it('refuses what is not there', async () => {
    write('file', '')
    expect([await refusal('gone'), await refusal('file/below')]).toEqual([
      'FILE_NOT_FOUND There is no file gone. List its folder to see what is there.',
      'FILE_NOT_FOUND There is no file file/below. List its folder to see what is there.',
    ])
  })

  it.skipIf(process.platform === 'win32')('refuses pipes and devices without waiting for them', async () => {
    spawnSync('mkfifo', [join(root, 'pipe')])
    const device = await readFileForAgent({ absolute: '/dev/zero' }, '/dev/zero').catch(({ code }: { code: string }) => code)
    expect([await refusal('pipe'), device]).toEqual(['FILE_UNREADABLE pipe is a device, pipe or socket and no file. Read a regular file instead.', 'FILE_UNREADABLE'])
  })

  it.skipIf(isRoot)('refuses what may not be read', async () => {
    write('shut', 'x')
    chmodSync(join(root, 'shut'), 0)
    expect(await refusal('shut')).toMatch(/^PERMISSION_DENIED shut /)
  })

  it.skipIf(!existsSync('/proc/self/status'))('reads files that the system makes up, although they claim to be empty', async () => {
    expect(await readFileForAgent({ absolute: '/proc/self/status' }, 'status')).toMatchObject({ kind: 'text', text: expect.stringContaining('Pid:') })
  })

  it('ends when it is cancelled', async () => {
    write('a', 'x')
    await expect(readFileForAgent({ absolute: join(root, 'a') }, 'a', null, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})
