/**
 * Thrown inside this room when a command, a pattern or a file is outside what is simulated exactly. It never leaves the
 * room: `recognise` and `apply` turn it into their `reason`.
 */
export class Declined extends Error {}

/** Promise: never returns. `reason` is a fragment in lower case that can stand after "not simulated: ". */
export function decline(reason: string): never {
  throw new Declined(reason)
}

/** The value of `work`, or what `otherwise` makes of the reason for which it was declined. */
export function orElse<Value>(work: () => Value, otherwise: (reason: string) => Value): Value {
  try {
    return work()
  } catch (thrown) {
    if (thrown instanceof Declined) return otherwise(thrown.message)
    throw thrown
  }
}
