import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logName, writeLog, writeLogs } from './generated-log.js'
import { listSessions, listTitles, openSession } from './session-adapter.js'

describe('a generated log', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'generated-log-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it.each(['qwen', 'claude', 'codex', 'gemini'] as const)('holds what its writer says: %s', async (format) => {
    const file = join(folder, logName(format, 'abcdef01'))
    const truth = writeLog(file, { bytes: 1e6, seed: 1, format, isTorn: true, lineEnd: '\r\n', hugeLine: 2e5 })
    const { title, ...counts } = await openSession(file)
    expect([counts, title.startsWith('Change the file')]).toEqual([truth, true])
  })

  it.each(['qwen', 'claude', 'codex', 'gemini'] as const)('is one of as many as were asked for: %s', async (format) => {
    const prompts = writeLogs(folder, 12, 1e6, format)
    expect([await listSessions(folder), await listTitles(folder)]).toEqual([{ n: 12, prompts }, { n: 12 }])
  })
})
