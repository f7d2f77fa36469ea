import type { Writable } from 'node:stream'

/** Where a command writes. */
export interface Output {
  readonly out: (text: string | Uint8Array) => void
  readonly note: (text: string) => void
  /** Resolves when all was handed over: whether it could be. The reason why not was noted. */
  readonly end: () => Promise<boolean>
}

/**
 * Writes to both streams without ever throwing. Who reads no further (`| head -1`) has what they want: the rest is left out, and the
 * command ends as it would. Another failure (a full disk) is told in one sentence.
 */
export function openOutput(stdout: Writable, stderr: Writable): Output {
  let isEnded = false
  let failure: NodeJS.ErrnoException | null = null
  stdout.on('error', (thrown: NodeJS.ErrnoException) => {
    if (!isEnded && thrown.code !== 'EPIPE') failure = thrown
    isEnded = true
  })
  // There is nowhere left to say it.
  stderr.on('error', () => undefined)
  const note = (text: string): void => void (stderr.writable && stderr.write(text))
  return {
    out: (text) => {
      if (!isEnded) stdout.write(text)
    },
    note,
    end: async () => {
      if (!isEnded) await new Promise<void>((resolve) => stdout.write('', () => resolve()))
      // An error is told a moment after the write that it belongs to.
      await new Promise((resolve) => setImmediate(resolve))
      if (!failure) return true
      note(`${failure.code === 'ENOSPC' ? 'The output could not be written whole: the disk is full. Make room, or write it elsewhere.' : `The output could not be written whole (${failure.message}). Write it elsewhere.`}\n`)
      return false
    },
  }
}
