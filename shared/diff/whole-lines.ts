/** A text put together from pieces that end with whole lines; only the last one may lack its line end. */
export class WholeLines {
  readonly #pieces: string[] = []
  #isOpen = false

  /** Adds a piece; false, and nothing is added, where it would be glued to a line that has no end. */
  append(piece: string): boolean {
    if (piece === '') return true
    if (this.#isOpen) return false
    this.#pieces.push(piece)
    this.#isOpen = !piece.endsWith('\n')
    return true
  }

  get text(): string {
    return this.#pieces.join('')
  }
}
