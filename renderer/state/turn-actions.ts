import type { PromptId } from '../../shared/ids.js'
import type { TurnDetails } from '../../shared/timeline.js'
import { client } from './client-ref.js'
import { notifyError } from './notice-actions.js'
import type { OpenSession } from './shell-slice.js'
import { getState, setState } from './store.js'

/** The contract takes so many in one call. */
const batchSize = 200

const asked = new Set<string>()

/** Fetches the details of these turns where they are missing or older than the outline. Repeated calls cost nothing. */
export async function loadDetails(promptIds: readonly PromptId[]): Promise<void> {
  const { session } = getState()
  if (!session) return
  const { revision } = session.outline
  const name = (id: PromptId): string => `${session.key} ${revision} ${id}`
  const missing = promptIds.filter((id) => session.detailsRevision.get(id) !== revision && !asked.has(name(id)))
  for (const id of missing) asked.add(name(id))
  try {
    for (let at = 0; at < missing.length; at += batchSize) {
      const details = await client().call('session.turns', { session: session.key, promptIds: missing.slice(at, at + batchSize) })
      setState(({ session: now }) => (now?.key === session.key ? { session: withDetails(now, details, revision) } : {}))
    }
  } catch (thrown) {
    notifyError(thrown, () => void loadDetails(promptIds))
  } finally {
    for (const id of missing) asked.delete(name(id))
  }
}

function withDetails(session: OpenSession, details: readonly TurnDetails[], revision: number): OpenSession {
  const next = new Map(session.details)
  const revisions = new Map(session.detailsRevision)
  for (const turn of details) {
    if ((revisions.get(turn.promptId) ?? -1) > revision) continue
    next.set(turn.promptId, turn)
    revisions.set(turn.promptId, revision)
  }
  return { ...session, details: next, detailsRevision: revisions }
}
