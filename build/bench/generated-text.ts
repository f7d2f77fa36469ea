// Text that looks like source code, the same for the same seed.

/** Numbers from 0 up to, not including, 1. */
export type Random = () => number

/** A generator of numbers (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Normally distributed numbers around 0. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

export function pick<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0]
}

const words: readonly [string, ...string[]] = [
  'session', 'prompt', 'snapshot', 'backup', 'file', 'path', 'diff', 'hunk', 'editor', 'renderer', 'channel', 'stream', 'buffer', 'token',
  'agent', 'turn', 'timeline', 'index', 'offset', 'record', 'parse', 'write', 'read', 'append', 'encode', 'decode', 'branch', 'anchor',
  'replace', 'patch', 'shell', 'command', 'output', 'error', 'retry', 'cache', 'watch', 'event', 'handler', 'state', 'store', 'view',
  'config', 'option', 'value', 'result', 'request', 'queue', 'batch', 'limit', 'scroll', 'merge', 'split', 'filter', 'count', 'clock',
]

/** One line without line end. */
export function codeLine(random: Random): string {
  const word = (): string => pick(random, words)
  const name = (): string => word() + capitalised(word()) + (random() < 0.5 ? '' : capitalised(word()))
  const number = (): number => Math.floor(random() * 1e4)
  const indent = '  '.repeat(Math.floor(random() * 4))
  switch (Math.floor(random() * 10)) {
    case 0:
      return `${indent}const ${name()} = await ${name()}(${word()}, ${number()})`
    case 1:
      return `${indent}if (${word()}.${name()} !== ${word()}.${word()}) return ${name()}(${word()})`
    case 2:
      return `${indent}// the ${word()} comes before the ${word()}, so that ${word()} and ${word()} agree`
    case 3:
      return `${indent}}`
    case 4:
      return ''
    case 5:
      return `${indent}export function ${name()}(${word()}: ${capitalised(word())}): ${capitalised(word())} {`
    case 6:
      return `${indent}this.${name()}.set('${word()}-${word()}', { ${word()}: ${number()}, ${word()}: '${word()}' })`
    case 7:
      return `${indent}for (const ${word()} of ${name()}) ${word()}.push(${word()} * ${number()})`
    case 8:
      return `${indent}throw new Error(\`${word()} ${word()}: \${${word()}} at \${${word()}}\`)`
    default:
      return `${indent}${word()}.${name()}(${word()}.${word()}(), '${word()}/${word()}.ts')`
  }
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

export function codeLines(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => codeLine(random))
}

/** Cuts texts of whole lines out of one long text, which is quicker than making each line. */
export function textSource(random: Random, poolBytes = 4 << 20): (bytes: number) => string {
  const lines: string[] = []
  for (let length = 0; length < poolBytes; length += (lines.at(-1)?.length ?? 0) + 1) lines.push(codeLine(random))
  const pool = `${lines.join('\n')}\n`
  return (bytes) => {
    const wanted = Math.min(bytes, pool.length / 2)
    const start = pool.indexOf('\n', random() * (pool.length / 2 - 4096)) + 1
    return pool.slice(start, pool.indexOf('\n', start + wanted - 1) + 1)
  }
}
