import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { ToolSession } from './tool-session.js'

const longestWaitMs = 15_000
const stepMs = 20

/** What waits in this process, by workspace: in the order in which it came, so that nobody is passed over. */
const lines = new Map<string, Promise<unknown>>()

/**
 * Runs `work` while nothing else of ours, in any process, changes the workspace; waits for what is being written there.
 * Errors: REWIND_RUNNING after 15 s of another process, CANCELLED while it waits, and those of `work`.
 */
export function alone<Result>(session: ToolSession, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const { root } = session.workspace
  const before = lines.get(root) ?? Promise.resolve()
  const mine = before.then(() => withLock(session, signal, work))
  const settled = mine.then(
    () => undefined,
    () => undefined,
  )
  lines.set(root, settled)
  void settled.then(() => {
    if (lines.get(root) === settled) lines.delete(root)
  })
  return mine
}

async function withLock<Result>(session: ToolSession, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const endsAt = Date.now() + longestWaitMs
  for (;;) {
    throwIfAborted(signal)
    let hasBegun = false
    try {
      return await session.operations.alone(() => {
        hasBegun = true
        return work()
      })
    } catch (thrown) {
      const isBusy = thrown instanceof ReviewError && thrown.code === 'REWIND_RUNNING'
      if (!isBusy || hasBegun || Date.now() >= endsAt) throw thrown
      await new Promise((resolve) => setTimeout(resolve, stepMs))
    }
  }
}
