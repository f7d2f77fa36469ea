import { addUsage, usageSince, type Usage } from '../../shared/usage.js'

/** What the requests of one turn came to, told twice: by the messages that they brought, and by the agent's account of requests. */
interface TurnUsage {
  readonly messages: Map<string, Usage>
  readonly requests: Map<string, Usage>
  /** Calls that started subagents, whose messages stand in logs of their own. */
  readonly calls: Set<string>
  other: Usage | null
}

/**
 * Gathers what records tell of tokens.
 *
 * - A message counts once however often it stands there; of what differs the larger output counts, since the first lines of a
 *   message may have been written before its end.
 * - Where an agent also keeps an account of its requests, that counts as soon as it has no fewer of them: it has the subagents' too.
 * - A meter is a running sum: repeated or taken over from a session that this one goes on from, it adds nothing twice.
 */
export class UsageSum {
  /** Ids of subagents whose logs lie beside. */
  readonly agents = new Set<string>()
  private readonly turns = new Map<number, TurnUsage>()
  private readonly seen = new Map<string, TurnUsage>()
  private turn: TurnUsage = newTurn()
  private before: Usage | null = null
  private isPartial = false

  /** `isWhole`: the first reading of a running sum has all that a session took that this one goes on from, which is a part of it. */
  constructor(private readonly isWhole: boolean) {
    this.enter(-1)
  }

  /** What comes next belongs to this prompt. */
  enter(prompt: number): void {
    const known = this.turns.get(prompt)
    this.turn = known ?? newTurn()
    if (!known) this.turns.set(prompt, this.turn)
  }

  message(id: string, usage: Usage): void {
    const turn = this.seen.get(id) ?? this.turn
    this.seen.set(id, turn)
    const known = turn.messages.get(id)
    if (!known || (usage.output ?? 0) > (known.output ?? 0)) turn.messages.set(id, usage)
  }

  request(id: string, usage: Usage): void {
    this.turn.requests.set(id, usage)
  }

  /** A call started a subagent. */
  call(callId: string): void {
    this.turn.calls.add(callId)
  }

  /** Forgets what was added, but for where a running sum stands. */
  beginHere(): void {
    this.turns.clear()
    this.seen.clear()
    this.enter(-1)
  }

  /** A reading of a running sum, and what the last request alone took. */
  meter(now: Usage, last: Usage | null): void {
    const { before } = this
    this.before = now
    const first = this.isWhole ? now : (last ?? now)
    this.turn.other = addUsage(this.turn.other, before ? (usageSince(before, now) ?? last ?? now) : first)
  }

  /** Something that belongs to it cannot be read, so that the whole is not known. */
  lose(): void {
    this.isPartial = true
  }

  /** Calls of turns of which only messages tell, so that those of their subagents are to be added. */
  openCalls(): readonly string[] {
    return [...this.turns.values()].flatMap((turn) => (isByRequests(turn) ? [] : [...turn.calls]))
  }

  /** All of it; `null` where nothing was recorded, or not all of it can be read. */
  total(): Usage | null {
    let sum: Usage | null = null
    if (this.isPartial) return sum
    for (const turn of this.turns.values()) {
      for (const usage of (isByRequests(turn) ? turn.requests : turn.messages).values()) sum = addUsage(sum, usage)
      sum = addUsage(sum, turn.other)
    }
    return sum
  }
}

function isByRequests({ requests, messages }: TurnUsage): boolean {
  return requests.size > 0 && requests.size >= messages.size
}

function newTurn(): TurnUsage {
  return { messages: new Map(), requests: new Map(), calls: new Set(), other: null }
}
