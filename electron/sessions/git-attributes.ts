/** What a `.gitattributes` line may do to bytes on their way into a repository. */
export type Conversion =
  /** Line ends may have been others. */
  | 'line-ends'
  /** Nothing can be said. */
  | 'any'

interface Rule {
  readonly matches: (path: string) => boolean
  readonly changes: readonly { readonly about: Conversion; readonly isOn: boolean }[]
}

const lineEndNames: ReadonlySet<string> = new Set(['text', 'eol', 'crlf'])
const longestPattern = 1_000
const anyNames: ReadonlySet<string> = new Set(['filter', 'ident', 'working-tree-encoding'])

/**
 * Which conversions the lines of attribute files may ask for, given from the outermost folder inwards; `path` is relative to the
 * folder of its file. Where a pattern is not understood it counts as matching when it turns something on.
 */
export function conversionsOf(files: readonly { readonly text: string; readonly path: string }[]): ReadonlySet<Conversion> {
  const on = new Set<Conversion>()
  for (const { text, path } of files) {
    for (const { matches, changes } of rulesOf(text)) {
      if (!matches(path)) continue
      for (const { about, isOn } of changes) {
        if (isOn) on.add(about)
        else on.delete(about)
      }
    }
  }
  return on
}

function rulesOf(text: string): readonly Rule[] {
  return text.split('\n').flatMap((line): readonly Rule[] => {
    const words = line.trim().split(/\s+/)
    const pattern = words[0] ?? ''
    if (pattern === '' || pattern.startsWith('#')) return []
    const changes = words.slice(1).flatMap(changeOf)
    if (changes.length === 0) return []
    const isOn = changes.some((change) => change.isOn)
    // A macro may stand for anything; it counts wherever it turns something on.
    if (pattern.startsWith('[attr]') || pattern.startsWith('"')) return isOn ? [{ matches: () => true, changes }] : []
    return [{ matches: matcherOf(pattern, isOn), changes }]
  })
}

function changeOf(word: string): readonly { readonly about: Conversion; readonly isOn: boolean }[] {
  if (word === 'binary') return [{ about: 'line-ends', isOn: false }]
  const [, sign = '', name = ''] = /^([-!]?)([^=]*)/.exec(word) ?? []
  if (lineEndNames.has(name)) return name === 'text' || name === 'crlf' || sign === '' ? [{ about: 'line-ends', isOn: sign === '' }] : []
  return anyNames.has(name) ? [{ about: 'any', isOn: sign === '' }] : []
}

/** Matches too much rather than too little what turns something on, and too little rather than too much what turns it off. */
function matcherOf(pattern: string, isOn: boolean): (path: string) => boolean {
  if (/[[\]\\"]/.test(pattern) || pattern.length > longestPattern) return () => isOn
  const isAnchored = pattern.replace(/\/$/, '').includes('/')
  const names = pattern.replace(/^\//, '').split('/')
  return (path) => (isAnchored ? matchesNames(names, path.split('/')) : matchesName(pattern, path.split('/').pop() ?? path))
}

/** `**` stands for any number of folders. */
function matchesNames(pattern: readonly string[], names: readonly string[]): boolean {
  return matchesList(pattern, names, '**', matchesName)
}

function matchesName(pattern: string, name: string): boolean {
  return matchesList([...pattern.replace(/\*+/g, '*')], [...name], '*', (sought, character) => sought === '?' || sought === character)
}

/** Goes back to the last joker alone, so that the work is at most the product of both lengths. */
function matchesList(pattern: readonly string[], things: readonly string[], joker: string, isOne: (pattern: string, thing: string) => boolean): boolean {
  let [at, thing, jokerAt, resumeAt] = [0, 0, -1, 0]
  while (thing < things.length) {
    const sought = pattern[at]
    if (sought === joker) {
      jokerAt = at++
      resumeAt = thing
    } else if (sought !== undefined && isOne(sought, things[thing] ?? '')) {
      at++
      thing++
    } else if (jokerAt >= 0) {
      at = jokerAt + 1
      thing = ++resumeAt
    } else {
      return false
    }
  }
  return pattern.slice(at).every((each) => each === joker)
}
