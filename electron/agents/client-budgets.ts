/** Which client calls, over what, and whether it gave a progress token with the call. */
export interface CallOrigin {
  /** Name that the client gave itself; hostile text. */
  readonly client: string
  readonly transport: 'stdio' | 'http'
  readonly hasToken: boolean
}

interface Budget {
  /** How the name of the client begins, in lower case. */
  readonly client: string
  readonly seconds: (origin: CallOrigin) => number
}

const minute = 60

/** Measured with a tool that waits, at default settings of each client; where progress was measured only to 400 s, it counts to 390 s. */
const budgets: readonly Budget[] = [
  // Gives up after 61 s of silence; with progress every 15 s it waited 400 s.
  { client: 'opencode', seconds: ({ hasToken }) => (hasToken ? 390 : 55) },
  // Gives up after 300 s, whatever progress comes.
  { client: 'codex', seconds: () => 270 },
  // Over stdio it is idle for 30 minutes at most. Over HTTP it gives up after 300 s of silence and tells nobody; progress keeps it.
  { client: 'claude', seconds: ({ transport, hasToken }) => (transport === 'stdio' ? 25 * minute : hasToken ? 390 : 270) },
  // Its limit for a server is 600 s unless the user sets another.
  { client: 'gemini', seconds: () => 9 * minute },
  // The same limit, taken over from Gemini CLI.
  { client: 'qwen', seconds: () => 9 * minute },
]

/** SDK clients give up after 60 s, and a progress token alone does not say that progress makes them wait longer. */
const unknownClientSeconds = 50

/** How long a call may be held before it is answered with a ticket, so that the client never gives up first. */
export function callBudgetMs(origin: CallOrigin): number {
  const name = origin.client.toLowerCase()
  const known = budgets.find(({ client }) => name.startsWith(client))
  return (known?.seconds(origin) ?? unknownClientSeconds) * 1000
}
