import { ReviewError } from '../../shared/errors.js'
import type { ContentSource, FileState } from '../../shared/file-state.js'
import type { PromptId, WorkspacePath } from '../../shared/ids.js'
import type { LedgerMark, LedgerPages } from './recorded-session.js'

/** One change that was worked out from records; its states are told when they are asked for. */
export interface ComputedChange {
  readonly path: WorkspacePath
  readonly before: () => Promise<FileState>
  readonly after: () => Promise<FileState>
}

/** An entry of a ledger that was worked out, in the order in which things happened. */
export interface ComputedEntry extends Omit<LedgerMark, 'paths'> {
  readonly changes: readonly ComputedChange[]
}

export interface ContentsOfStates {
  /** The bytes with this hash; `null` where they cannot be had any more. */
  readonly read: (sha256: string, signal?: AbortSignal) => Promise<Uint8Array | null>
  readonly sourceOf: (sha256: string) => ContentSource
}

/** The pages of a ledger that was worked out from an agent's records. */
export function computedPages(entries: readonly ComputedEntry[], { read, sourceOf }: ContentsOfStates): LedgerPages {
  const byPath = new Map<WorkspacePath, LedgerMark[]>()
  const byTurn = new Map<PromptId, LedgerMark[]>()
  const changes = new Map<LedgerMark, ReadonlyMap<WorkspacePath, ComputedChange>>()
  for (const { changes: own, ...facts } of entries) {
    const mark: LedgerMark = { ...facts, paths: own.map(({ path }) => path) }
    changes.set(mark, new Map(own.map((change) => [change.path, change])))
    put(byTurn, mark.promptId, mark)
    for (const path of new Set(mark.paths)) put(byPath, path, mark)
  }
  return {
    paths: new Set(byPath.keys()),
    ofPath: (path) => byPath.get(path) ?? [],
    ofTurn: (promptId) => byTurn.get(promptId) ?? [],
    changeOf: async (mark, path) => {
      const change = changes.get(mark)?.get(path)
      if (!change) throw new ReviewError('CONTENT_UNKNOWN', 'The log has changed since. Open the turn again.')
      return { path, before: await change.before(), after: await change.after() }
    },
    read: async (sha256, signal) => {
      const bytes = await read(sha256, signal)
      if (!bytes) throw new ReviewError('CONTENT_UNKNOWN', 'The bytes of this file are not known any more. Open the turn again.')
      return bytes
    },
    sourceOf,
  }
}

function put<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
