/** What the lines of a random text are like. `code` repeats little, `log` and `records` much, `few` hardly differs. */
export const lineKinds = ['code', 'log', 'records', 'few', 'odd'] as const
export type LineKind = (typeof lineKinds)[number]

/** What is done to a text to get another one. */
export const editKinds = ['touch', 'rework', 'swap', 'move', 'repeat', 'shuffle', 'replace', 'none'] as const
export type EditKind = (typeof editKinds)[number]

const names = ['session', 'turn', 'hunk', 'anchor', 'backup', 'rewind', 'timeline', 'workspace', 'merge', 'slide']
/** Lines that a careless splitter, parser or patch writer stumbles over. */
const oddLines = [
  '',
  ' ',
  '\t',
  'crlf\r',
  'lone \r carriage return',
  'two\u2028lines\u2029of\u0085one',
  'form\ffeed\vand more',
  '-- old comment',
  '++ new comment',
  '--- a/file',
  '+++ b/file',
  '@@ -1,2 +3,4 @@',
  'diff --git a/x b/x',
  '\\ No newline at end of file',
  '+',
  '-',
  'é ü 漢字 😀 e\u0301',
  '\ufeffmark',
  'trailing blanks  ',
  '__proto__',
]

/** Makes texts and edits of them; the same ones for the same seed (mulberry32). */
export class RandomTexts {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }

  /** Lines without their line ends. */
  lines(kind: LineKind, count: number): string[] {
    return Array.from({ length: count }, (_, index) => this.#line(kind, index))
  }

  /** A new list of lines; `kind` says what those that come in are like. */
  edited(lines: readonly string[], kind: LineKind, edit: EditKind): string[] {
    switch (edit) {
      case 'none':
        return [...lines]
      case 'replace':
        return this.lines(kind, this.below(lines.length + 2))
      case 'swap': {
        const middle = this.below(lines.length + 1)
        return [...lines.slice(middle), ...lines.slice(0, middle)]
      }
      case 'shuffle':
        return lines
          .map((line) => ({ line, place: this.below(1_000_000) }))
          .sort((a, b) => a.place - b.place)
          .map(({ line }) => line)
      case 'move':
      case 'repeat':
        return this.#withBlocks(lines, edit === 'move')
      case 'touch':
        return this.#withChanges(lines, kind, 3)
      case 'rework':
        return this.#withChanges(lines, kind, 40)
    }
  }

  /** Puts lines together; one time in four the last one lacks its line end. */
  text(lines: readonly string[]): string {
    const end = lines.length > 0 && this.below(4) > 0 ? '\n' : ''
    return lines.join('\n') + end
  }

  /** Two texts of up to `mostLines` lines of a random kind, the second an edit of the first. */
  pair(mostLines: number): { readonly before: string; readonly after: string; readonly label: string } {
    const kind = this.pick(lineKinds)
    const edit = this.pick(editKinds)
    const lines = this.lines(kind, this.below(mostLines + 1))
    const before = this.text(lines)
    return { before, after: this.text(this.edited(lines, kind, edit)), label: `${kind} ${edit} ${lines.length}` }
  }

  #line(kind: LineKind, index: number): string {
    switch (kind) {
      case 'code':
        return this.pick([
          '',
          '}',
          '  }',
          `  const ${this.#name()} = ${this.below(1000)}`,
          `function ${this.#name()}${this.below(100)}() {`,
          `  return ${this.#name()}`,
        ])
      case 'log':
        return this.below(20) === 0 ? `WARN ${this.below(10_000)}` : `INFO step ${this.below(12)} done`
      case 'records':
        return (
          ['{', `  "id": ${this.below(500)},`, `  "ok": ${this.below(2)},`, `  "kind": ${this.below(5)}`, '},'][
            index % 5
          ] ?? ''
        )
      case 'few':
        return `x${this.below(3)}`
      case 'odd':
        return this.pick(oddLines)
    }
  }

  #name(): string {
    return this.pick(names) + this.pick(names)
  }

  #withBlocks(lines: readonly string[], isMove: boolean): string[] {
    const edited = [...lines]
    for (let round = this.below(5); round >= 0; round--) {
      const start = this.below(edited.length + 1)
      const length = this.below(Math.ceil(lines.length / 5) + 1)
      const block = isMove ? edited.splice(start, length) : edited.slice(start, start + length)
      edited.splice(this.below(edited.length + 1), 0, ...block)
    }
    return edited
  }

  #withChanges(lines: readonly string[], kind: LineKind, percent: number): string[] {
    return [...lines, ''].flatMap((line, index) => {
      const kept = index < lines.length ? [line] : []
      if (this.below(100) >= percent && index !== 0) return kept
      const added = this.lines(kind, this.below(3))
      return this.below(3) === 0 ? [...kept, ...added] : added
    })
  }
}
