import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { abandonedNote, takeLock } from './process-lock.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = (): string => join(folder, 'x.lock')
const holder = (pid: number, startedAt: string | null): string => JSON.stringify({ pid, startedAt, token: 't', note: 'was at work' })

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => child.on('exit', resolve))
  return child.pid ?? 0
}

describe('takeLock', () => {
  it('is held by one until released', () => {
    const first = takeLock(file(), 'a')
    const second = takeLock(file(), 'b')
    first?.release()
    const third = takeLock(file(), 'c')
    expect([first?.leftBehind, second, third?.leftBehind]).toEqual([null, null, null])
  })

  it('is taken over from a dead process, with its note', async () => {
    writeFileSync(file(), holder(await deadPid(), null))
    expect(abandonedNote(file())).toBe('was at work')
    const lock = takeLock(file(), 'mine')
    expect([lock?.leftBehind, JSON.parse(readFileSync(file(), 'utf8'))]).toEqual(['was at work', expect.objectContaining({ pid: process.pid, note: 'mine' })])
  })

  it.runIf(process.platform === 'linux')('is taken over when the number now belongs to another process', () => {
    writeFileSync(file(), holder(process.pid, '1'))
    expect(takeLock(file(), '')?.leftBehind).toBe('was at work')
  })

  it('is not taken from a living process, nor while its maker has not filled it yet', () => {
    writeFileSync(file(), holder(process.ppid, null))
    const fromLiving = takeLock(file(), '')
    writeFileSync(file(), '')
    expect([fromLiving, takeLock(file(), ''), abandonedNote(file())]).toEqual([null, null, null])
  })

  it('gets over a dead taker-over', async () => {
    writeFileSync(file(), holder(await deadPid(), null))
    writeFileSync(`${file()}.takeover`, holder(await deadPid(), null))
    const lock = takeLock(file(), '')
    expect([lock?.leftBehind, existsSync(`${file()}.takeover`)]).toEqual(['was at work', false])
  })

  it('releases only what it holds', async () => {
    const lock = takeLock(file(), 'mine')
    const other = holder(await deadPid(), null)
    writeFileSync(file(), other)
    lock?.release()
    expect(readFileSync(file(), 'utf8')).toBe(other)
  })
})
