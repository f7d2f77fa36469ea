import type { ChangeCause, FileState, UnknownReason } from '../../shared/file-state.js'
import { promptId, type WorkspacePath } from '../../shared/ids.js'
import type { LedgerChange, LedgerEntry } from '../../shared/ledger.js'
import type { ProblemKind } from '../../shared/session.js'
import { isObject, listAt, numberAt, objectAt, textAt, type JsonObject } from './json-values.js'

export type LedgerProblem = Extract<ProblemKind, 'bad-ledger' | 'hostile-path'>

const causes: readonly ChangeCause[] = ['edit', 'sed', 'command', 'user', 'subagent', 'rewind', 'unknown']
const reasons: readonly UnknownReason[] = ['no-record', 'backup-missing', 'backup-failed', 'changed-by-command', 'records-disagree', 'log-broken', 'outside-workspace', 'unreadable']
const sha256 = /^[0-9a-f]{64}$/
const shownLimits = 20

/**
 * The entry that a ledger record holds; `null` where it is none. A change that cannot be understood has unknown states: that
 * something happened to its path is known all the same.
 */
export function decodeLedger(record: JsonObject, pathOf: (recorded: string) => WorkspacePath | null, report: (problem: LedgerProblem) => void): LedgerEntry | null {
  const payload = objectAt(record, 'systemPayload')
  const named = textAt(payload, 'promptId')
  const cause = causes.find((each) => each === textAt(payload, 'cause'))
  if (!payload || !named || cause === undefined || !Array.isArray(payload['changes'])) {
    report('bad-ledger')
    return null
  }
  return {
    promptId: promptId(named),
    isBeforeTurn: payload['isBeforeTurn'] === true,
    callId: textAt(payload, 'callId'),
    cause,
    at: numberAt(payload, 'at') ?? 0,
    changes: listAt(payload, 'changes').flatMap((value) => decodeChange(value, pathOf, report)),
    limits: listAt(payload, 'limits').filter((limit) => typeof limit === 'string').slice(0, shownLimits),
  }
}

function decodeChange(value: unknown, pathOf: (recorded: string) => WorkspacePath | null, report: (problem: LedgerProblem) => void): readonly LedgerChange[] {
  const named = isObject(value) ? textAt(value, 'path') : null
  const path = named === null ? null : pathOf(named)
  if (!isObject(value) || path === null) {
    report(named === null ? 'bad-ledger' : 'hostile-path')
    return []
  }
  const [before, after] = [decodeState(value['before']), decodeState(value['after'])]
  if (!before || !after) report('bad-ledger')
  return [{ path, before: before ?? broken, after: after ?? broken }]
}

const broken: FileState = { kind: 'unknown', reason: 'log-broken' }

function decodeState(value: unknown): FileState | null {
  if (!isObject(value)) return null
  switch (value['kind']) {
    case 'file': {
      const hash = textAt(value, 'sha256')
      const sizeBytes = numberAt(value, 'sizeBytes')
      const mode = numberAt(value, 'mode')
      if (hash === null || !sha256.test(hash) || sizeBytes === null) return null
      return { kind: 'file', sha256: hash, sizeBytes, mode: mode === null ? null : mode & 0o777 }
    }
    case 'link': {
      const target = textAt(value, 'target')
      return target === null ? null : { kind: 'link', target }
    }
    case 'folder':
      return { kind: 'folder' }
    case 'absent':
      return { kind: 'absent' }
    case 'unknown':
      return { kind: 'unknown', reason: reasons.find((each) => each === value['reason']) ?? 'no-record' }
    default:
      return null
  }
}
