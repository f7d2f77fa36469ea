/** The most recently used byte arrays by hash, up to a size; larger ones are not kept. */
export class RecentBytes {
  private readonly entries = new Map<string, Uint8Array>()
  private sizeBytes = 0

  constructor(private readonly limitBytes: number) {}

  get(sha256: string): Uint8Array | undefined {
    const found = this.entries.get(sha256)
    if (found) this.touch(sha256, found)
    return found
  }

  set(sha256: string, bytes: Uint8Array): void {
    if (bytes.length > this.limitBytes / 4 || this.entries.has(sha256)) return
    this.entries.set(sha256, bytes)
    this.sizeBytes += bytes.length
    for (const [oldest, { length }] of this.entries) {
      if (this.sizeBytes <= this.limitBytes) return
      this.entries.delete(oldest)
      this.sizeBytes -= length
    }
  }

  private touch(sha256: string, bytes: Uint8Array): void {
    this.entries.delete(sha256)
    this.entries.set(sha256, bytes)
  }
}

/** Results of slow questions by key, the latest ones; failures are asked again. */
export class RecentAnswers<Value> {
  private readonly entries = new Map<string, Promise<Value>>()

  constructor(private readonly limit: number) {}

  get(key: string, ask: () => Promise<Value>): Promise<Value> {
    const known = this.entries.get(key)
    if (known) return known
    const asked = ask()
    this.entries.set(key, asked)
    asked.catch(() => this.entries.delete(key))
    if (this.entries.size > this.limit) {
      const [oldest] = this.entries.keys()
      if (oldest !== undefined) this.entries.delete(oldest)
    }
    return asked
  }
}
