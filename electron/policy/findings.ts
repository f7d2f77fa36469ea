import type { Verdict } from '../../shared/policy.js'

/** One thing that a command does, and what the policy says of it. */
export interface Finding {
  readonly verdict: Verdict
  readonly reason: string
  readonly reachesNetwork: boolean
  readonly isReadOnly: boolean
  /** Whether a rule of the user's may allow it. */
  readonly canBeRuled: boolean
}

const harmless: Finding = { verdict: 'allowed', reason: 'Only reads', reachesNetwork: false, isReadOnly: true, canBeRuled: true }

/** It changes nothing; `reason` where "Only reads" would not be the word. */
export function allows(reason = harmless.reason): Finding {
  return { ...harmless, reason }
}

/** It changes something, or may. */
export function asks(reason: string): Finding {
  return { ...harmless, verdict: 'asks', reason, isReadOnly: false }
}

/** It only reads, but what or where is for the user to say. */
export function asksToRead(reason: string): Finding {
  return { ...harmless, verdict: 'asks', reason }
}

export function asksForNetwork(more = ''): Finding {
  return { ...asks(more ? `Reaches the network, ${more}` : 'Reaches the network'), reachesNetwork: true }
}

/** What it does is not in its words, so no rule can cover it. */
export function asksAlways(reason: string): Finding {
  return { ...asks(reason), canBeRuled: false }
}

/** `reason` says what to do instead. */
export function denied(reason: string): Finding {
  return { ...harmless, verdict: 'denied', reason, isReadOnly: false, canBeRuled: false }
}
