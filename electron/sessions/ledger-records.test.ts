import { describe, expect, it } from 'vitest'
import type { WorkspacePath } from '../../shared/ids.js'
import { decodeLedger } from './ledger-records.js'
import { trackedPath } from './tracked-paths.js'

const sha256 = 'a'.repeat(64)
const pathOf = (recorded: string): WorkspacePath | null => trackedPath(recorded, '/home/dev/acme')

function decoded(systemPayload: unknown): { readonly entry: unknown; readonly problems: readonly string[] } {
  const problems: string[] = []
  const entry = decodeLedger({ type: 'system', subtype: 'overturn_ledger', systemPayload }, pathOf, (problem) => problems.push(problem))
  return { entry, problems }
}

const whole = {
  promptId: 'p',
  isBeforeTurn: true,
  callId: null,
  cause: 'user',
  at: 7,
  limits: ['Not all was looked at.'],
  changes: [
    { path: 'a.ts', before: { kind: 'absent' }, after: { kind: 'file', sha256, sizeBytes: 3, mode: 0o644 } },
    { path: 'b', before: { kind: 'link', target: '../x' }, after: { kind: 'unknown', reason: 'unreadable' } },
  ],
}

describe('a ledger record', () => {
  it('gives its entry as it was written', () => {
    expect(decoded(whole)).toEqual({ entry: whole, problems: [] })
  })

  it.each([null, [], 'x', {}, { ...whole, promptId: '' }, { ...whole, cause: 'magic' }, { ...whole, changes: {} }])('is no entry when it cannot be understood: %j', (payload) => {
    expect(decoded(payload)).toEqual({ entry: null, problems: ['bad-ledger'] })
  })

  it.each([{ kind: 'file', sha256: '../../etc', sizeBytes: 1, mode: 0 }, { kind: 'file', sha256, sizeBytes: 'x', mode: 0 }, { kind: 'link' }, { kind: 'gone' }, null, 7])('knows that something happened where a state is broken: %j', (after) => {
    const { entry, problems } = decoded({ ...whole, changes: [{ path: 'a.ts', before: { kind: 'absent' }, after }] })
    expect([entry, problems]).toEqual([expect.objectContaining({ changes: [{ path: 'a.ts', before: { kind: 'absent' }, after: { kind: 'unknown', reason: 'log-broken' } }] }), ['bad-ledger']])
  })

  it('leaves out paths that lead elsewhere, and bits that are no permissions', () => {
    const file = { kind: 'file', sha256, sizeBytes: 3, mode: 0o104755 }
    const changes = ['../x', 'a/../../x', 'C:\\x', 'ok.ts'].map((path) => ({ path, before: { kind: 'absent' }, after: file }))
    expect(decoded({ ...whole, changes })).toEqual({
      entry: { ...whole, changes: [{ path: 'ok.ts', before: { kind: 'absent' }, after: { ...file, mode: 0o755 } }] },
      problems: ['hostile-path', 'hostile-path', 'hostile-path'],
    })
  })
})
