import { StringDecoder } from 'node:string_decoder'
import { withoutHalfStart } from './kept-output.js'

export type StreamName = 'stdout' | 'stderr'

/** A part of what a command printed. */
export interface OutputPart {
  readonly stream: StreamName
  readonly text: string
}

/** What a command printed since the message before, in the order in which it came. */
export interface OutputMessage {
  readonly parts: readonly OutputPart[]
  /** Bytes that came before these parts and are not shown, because the command prints faster than can be watched. */
  readonly skippedBytes: number
}

const intervalMs = 16
export const maxMessageBytes = 256 * 1024

/**
 * Hands what a command prints to one who watches: at most one message in 16 ms, of at most 256 KiB, the next not before the one
 * before was taken. Meanwhile `pause` is called, so that the command waits too; of what comes within the 16 ms the newest is shown.
 */
export class LiveOutput {
  private pending: { readonly stream: StreamName; readonly bytes: Buffer }[] = []
  private pendingBytes = 0
  private skippedBytes = 0
  private decoders: Record<StreamName, StringDecoder> = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  private timer: NodeJS.Timeout | null = null
  private sentAt = 0
  private sending: Promise<void> | null = null
  private isPausing = true

  constructor(
    private readonly onOutput: (message: OutputMessage) => Promise<void> | void,
    private readonly pause: () => void,
    private readonly resume: () => void,
  ) {}

  add(stream: StreamName, bytes: Buffer): void {
    this.pending.push({ stream, bytes })
    this.pendingBytes += bytes.length
    while (this.pendingBytes > maxMessageBytes) this.skipOldest()
    this.plan()
  }

  /** From now on the streams are read to their end, whether or not the one who watches keeps up. */
  stopPausing(): void {
    this.isPausing = false
    this.resume()
  }

  /** Resolves when all that came was taken, or when `signal` fires: then nobody waits for it any more. */
  async finish(signal: AbortSignal | undefined): Promise<void> {
    const hurry = new Promise<void>((resolve) => {
      if (signal?.aborted) resolve()
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
    const done = async (): Promise<void> => {
      while (this.pending.length > 0 || this.sending) await (this.sending ?? new Promise((resolve) => setTimeout(resolve, intervalMs)))
    }
    await Promise.race([done(), hurry])
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.pending = []
  }

  private plan(): void {
    if (this.sending || this.timer) return
    const wait = this.sentAt + intervalMs - performance.now()
    this.timer = setTimeout(() => this.send(), Math.max(0, Math.ceil(wait)))
  }

  private send(): void {
    this.timer = null
    if (this.pending.length === 0) return
    // A timer can be early by some milliseconds: it counts from when the loop last looked at the clock.
    if (performance.now() < this.sentAt + intervalMs) return this.plan()
    this.sentAt = performance.now()
    if (this.isPausing) this.pause()
    this.sending = this.handOver(this.takePending()).finally(() => {
      this.sending = null
      this.resume()
      if (this.pending.length > 0) this.plan()
    })
  }

  private async handOver(message: OutputMessage): Promise<void> {
    try {
      await this.onOutput(message)
    } catch {
      // The command goes on for those who wait for its result.
    }
  }

  private takePending(): OutputMessage {
    const parts: OutputPart[] = []
    for (const { stream, bytes } of merged(this.pending)) {
      const text = this.decoders[stream].write(bytes)
      if (text !== '') parts.push({ stream, text })
    }
    const { skippedBytes } = this
    this.pending = []
    this.pendingBytes = 0
    this.skippedBytes = 0
    return { parts, skippedBytes }
  }

  private skipOldest(): void {
    const oldest = this.pending.shift()
    if (!oldest) return
    const tooMany = this.pendingBytes - maxMessageBytes
    const rest = withoutHalfStart(oldest.bytes.subarray(Math.min(tooMany, oldest.bytes.length)))
    const skipped = oldest.bytes.length - rest.length
    this.pendingBytes -= skipped
    this.skippedBytes += skipped
    // Half a character that waits for its other half will not get it.
    this.decoders = { ...this.decoders, [oldest.stream]: new StringDecoder('utf8') }
    if (rest.length > 0) this.pending.unshift({ stream: oldest.stream, bytes: rest })
  }
}

function merged(chunks: readonly { readonly stream: StreamName; readonly bytes: Buffer }[]): readonly { readonly stream: StreamName; readonly bytes: Buffer }[] {
  const runs: { readonly stream: StreamName; readonly all: Buffer[] }[] = []
  for (const { stream, bytes } of chunks) {
    const last = runs.at(-1)
    if (last?.stream === stream) last.all.push(bytes)
    else runs.push({ stream, all: [bytes] })
  }
  return runs.map(({ stream, all }) => ({ stream, bytes: Buffer.concat(all) }))
}
