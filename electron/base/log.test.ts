import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { openLog } from './log.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lines = (): Record<string, unknown>[] =>
  readFileSync(join(folder, 'log.jsonl'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)

describe('openLog', () => {
  it('writes one JSON object a line, with the code and the cause of an error', () => {
    const log = openLog(folder, { now: () => 5 })
    log.info('app.started', { port: 1 })
    log.error('rewind.failed', new ReviewError('DISK_FULL', 'Full.', { cause: new Error('ENOSPC') }))
    expect(lines()).toMatchObject([
      { at: 5, level: 'info', event: 'app.started', facts: { port: 1 } },
      { at: 5, level: 'error', event: 'rewind.failed', error: { code: 'DISK_FULL', message: 'Full.', cause: { message: 'ENOSPC' } } },
    ])
  })

  it('stays below its limit, keeps the newest lines, and cuts a huge one', () => {
    const log = openLog(folder, { maxBytes: 20_000 })
    for (let n = 0; n < 400; n++) log.warn('event', { n, text: 'x'.repeat(100) })
    log.warn('huge', { text: 'y'.repeat(1_000_000) })
    const size = statSync(join(folder, 'log.jsonl')).size + statSync(join(folder, 'log.old.jsonl')).size
    expect([size < 20_000, lines().at(-1)?.['event']]).toEqual([true, 'huge'])
  })

  it('never throws, not even for facts that are no JSON or a folder that is gone', () => {
    const log = openLog(join(folder, 'gone'))
    const circle: Record<string, unknown> = {}
    circle['self'] = circle
    expect(() => {
      log.info('lost')
      openLog(folder).info('circle', circle)
    }).not.toThrow()
  })

  it('is readable by this user only', () => {
    openLog(folder).info('private')
    expect(statSync(join(folder, 'log.jsonl')).mode & 0o777).toBe(0o600)
  })
})
