/** Progress of one call: a message at once, soon after its text changes, and again every so often while nothing changes. */
export interface ProgressBeat {
  readonly tell: (message: string) => void
  readonly stop: () => void
}

/** Clients give up after 60 s of silence at the earliest; several beats may get lost before that. */
export const beatEveryMs = 10_000
const afterChangeMs = 200
const maxMessageLength = 1_000

/** Calls `send` with a number that grows by one each time, until `stop`. */
export function startProgress(send: (progress: number, message: string) => void, everyMs: number): ProgressBeat {
  let message = 'Started.'
  let count = 0
  let change: NodeJS.Timeout | null = null
  const beat = (): void => {
    change = null
    send(++count, message)
  }
  beat()
  const regular = setInterval(beat, everyMs)
  return {
    tell: (text) => {
      const next = text.slice(0, maxMessageLength)
      if (next === message) return
      message = next
      change ??= setTimeout(beat, Math.min(afterChangeMs, everyMs))
    },
    stop: () => {
      clearInterval(regular)
      if (change) clearTimeout(change)
    },
  }
}

/** For a call whose client did not ask for progress. */
export const noProgress: ProgressBeat = { tell: () => undefined, stop: () => undefined }
