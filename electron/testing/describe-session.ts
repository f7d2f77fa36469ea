import type { PromptSnapshot } from '../../shared/snapshot.js'
import type { Turn } from '../../shared/session.js'
import type { RecordedSession } from '../sessions/recorded-session.js'

/** A session as plain JSON, all of it: for comparing with what is expected of a fixture. */
export async function describeSession(session: RecordedSession): Promise<unknown> {
  await session.whenLoaded()
  const describe = async (turn: Turn): Promise<unknown> => ({
    ...turn,
    snapshot: describeSnapshot(await session.snapshotOf(turn.promptId)),
    transcript: await session.readTurn(turn.promptId),
  })
  const history = await session.backupHistory()
  const { agent, id, folder, turns, setAside, rewinds } = session
  return JSON.parse(
    JSON.stringify({
      agent,
      id,
      folder,
      turns: await inOrder(turns, describe),
      setAside: await inOrder(setAside, async (branch) => ({ after: branch.after, turns: await inOrder(branch.turns, describe) })),
      rewinds,
      history: Object.fromEntries(history),
      problems: session.problems,
    }),
  ) as unknown
}

function describeSnapshot(snapshot: PromptSnapshot | null): unknown {
  if (!snapshot) return null
  return { takenAt: snapshot.takenAt, backups: Object.fromEntries(snapshot.backups), addedDuring: [...snapshot.addedDuring] }
}

async function inOrder<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await run(item))
  return results
}
