import { describe, expect, it } from 'vitest'
import { parseObject } from './json-values.js'
import { decodeSnapshots } from './qwen-snapshots.js'
import { trackedPaths } from './tracked-paths.js'

function decode(tracked: string): unknown {
  const text = `{"systemPayload":{"snapshots":[{"promptId":"p","timestamp":"2026-01-05T08:00:00.000Z","trackedFileBackups":${tracked}}]}}`
  const problems: string[] = []
  const [snapshot] = decodeSnapshots(parseObject(text) ?? {}, trackedPaths('/home/dev/acme'), false, (problem) => problems.push(problem))
  return { backups: [...(snapshot?.backups ?? [])], problems }
}

const failed = { kind: 'failed', reason: 'BACKUP_MISSING' }

describe('a snapshot entry', () => {
  it.each([
    ['{"backupFileName":"a@v1","version":1,"backupTime":"2026-01-05T08:00:00.000Z"}', { kind: 'stored', backupName: 'a@v1', version: 1, backupAt: 1767600000000 }],
    ['{"backupFileName":null,"version":1,"backupTime":"no time"}', { kind: 'absent', backupAt: 0 }],
    ['{"backupFileName":null,"version":1,"failed":true}', failed],
    ['{"backupFileName":"a@v1","version":1,"failed":true}', failed],
    ['{"backupFileName":"a@v1","version":1,"failed":"yes"}', failed],
    ['{"backupFileName":"a@v1","failed":false}', { kind: 'stored', backupName: 'a@v1', version: 0, backupAt: 0 }],
  ])('%s', (entry, backup) => {
    expect(decode(`{"f":${entry}}`)).toEqual({ backups: [['f', backup]], problems: [] })
  })

  it.each([
    ['{}', 'bad-snapshot'],
    ['{"backupFileName":7}', 'bad-snapshot'],
    ['null', 'bad-snapshot'],
    ['"a@v1"', 'bad-snapshot'],
    ['{"backupFileName":"../a@v1"}', 'hostile-path'],
    ['{"backupFileName":""}', 'hostile-path'],
  ])('%s never counts as absent', (entry, problem) => {
    expect(decode(`{"f":${entry}}`)).toEqual({ backups: [['f', failed]], problems: [problem] })
  })

  it('may have any name as its path, those of built-in properties too', () => {
    const entry = '{"backupFileName":null}'
    expect(decode(`{"__proto__":${entry},"constructor":${entry},"toString":${entry}}`)).toEqual({
      backups: ['__proto__', 'constructor', 'toString'].map((path) => [path, { kind: 'absent', backupAt: 0 }]),
      problems: [],
    })
  })
})
