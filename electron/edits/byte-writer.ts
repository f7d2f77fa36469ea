/** Bytes that grow at the end. */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(Math.max(capacity, 64))
  }

  /** A view of all that was written, until the next change. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
  }

  /** Appends `source[from..to)`. */
  copy(source: Uint8Array, from: number, to: number): void {
    const length = this.#length + to - from
    if (length > this.#bytes.length) this.#grow(length)
    if (to - from > 32) this.#bytes.set(source.subarray(from, to), this.#length)
    else for (let at = from, put = this.#length; at < to; at++, put++) this.#bytes[put] = source[at] ?? 0
    this.#length = length
  }

  #grow(least: number): void {
    const larger = new Uint8Array(Math.max(least, this.#bytes.length * 2))
    larger.set(this.written)
    this.#bytes = larger
  }
}
