/** Where things stand in a JSON text; lines are 1-based. */
export interface JsonPlaces {
  /** Line of the first fault, or `null` for good JSON. */
  readonly faultLine: number | null
  /** Line on which the value at a path of keys and indexes begins; of the nearest value around it where there is none. */
  lineOf(path: readonly PropertyKey[]): number
}

/** Finds the places that `JSON.parse` does not tell of. */
export function placesIn(text: string): JsonPlaces {
  const starts = new Map<string, number>()
  let at = 0

  const blanks = (): void => {
    while (/[ \t\n\r]/.test(text[at] ?? '')) at++
  }
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (!found) throw new SyntaxError()
    at = pattern.lastIndex
    blanks()
    return found[0]
  }
  const list = (end: string, item: (index: number) => void): void => {
    at++
    blanks()
    for (let index = 0; text[at] !== end; index++) {
      if (index > 0) take(/,/y)
      item(index)
    }
    at++
    blanks()
  }
  const value = (path: readonly PropertyKey[]): void => {
    starts.set(pathKey(path), at)
    if (text[at] === '[') return list(']', (index) => value([...path, index]))
    if (text[at] !== '{') return void take(/"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y)
    list('}', () => {
      const key: unknown = JSON.parse(take(/"(?:[^"\\\0-\x1f]|\\.)*"/y))
      take(/:/y)
      value([...path, String(key)])
    })
  }

  let faultLine: number | null = null
  try {
    blanks()
    value([])
    if (at < text.length) throw new SyntaxError()
  } catch {
    faultLine = lineAt(text, at)
  }
  return {
    faultLine,
    lineOf: (path) => {
      const around = path.map((_, depth) => starts.get(pathKey(path.slice(0, path.length - depth)))).find((start) => start !== undefined)
      return lineAt(text, around ?? starts.get(pathKey([])) ?? 0)
    },
  }
}

function pathKey(path: readonly PropertyKey[]): string {
  return JSON.stringify(path.map(String))
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}
