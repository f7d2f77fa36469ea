import { computeDiff } from './compute-diff.js'
import type { DiffAnswer, DiffRequest } from './diff-messages.js'

/** Computes diffs beside the window's thread, one after the other. */
addEventListener('message', ({ data }: MessageEvent<DiffRequest>) => {
  postMessage(answer(data))
})

function answer({ id, before, after, markedUnits }: DiffRequest): DiffAnswer {
  try {
    return { id, kind: 'diff', diff: computeDiff(before, after, markedUnits ?? undefined) }
  } catch (thrown) {
    return { id, kind: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}
