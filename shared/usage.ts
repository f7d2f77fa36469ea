/**
 * Tokens and cost as an agent recorded them: a count that it did not record is `null`, never 0.
 *
 * Each count is the sum of what was recorded, whatever was not recorded beside it. Nothing is worked out from prices.
 */
export interface Usage {
  /** What the model was given, what came from its cache and went into it included. */
  readonly input: number | null
  /** The part of `input` that came from the cache. */
  readonly cached: number | null
  /** What the model wrote, as the agent counts it: Gemini CLI and opencode count thoughts apart, so that only `total` has them. */
  readonly output: number | null
  /** As recorded, else `input` and `output` together. */
  readonly total: number | null
  /** US dollars. An agent that knows no price may have recorded 0. */
  readonly cost: number | null
}

const fields = ['input', 'cached', 'output', 'total', 'cost'] as const

/** The sum of two; `null` stands for nothing recorded. A count that becomes too large to be exact is not known any more. */
export function addUsage(one: Usage | null, two: Usage | null): Usage | null {
  if (!one || !two) return one ?? two
  return each((field) => {
    const [first, second] = [one[field], two[field]]
    return first === null || second === null ? (first ?? second) : kept(field, first + second)
  })
}

/** What a running sum has grown by; `null` where it is smaller than before, so that it was begun anew. */
export function usageSince(before: Usage, now: Usage): Usage | null {
  const grown = each((field) => (now[field] === null ? null : now[field] - (before[field] ?? 0)))
  return fields.some((field) => (grown[field] ?? 0) < 0) ? null : grown
}

function each(value: (field: keyof Usage) => number | null): Usage {
  return { input: value('input'), cached: value('cached'), output: value('output'), total: value('total'), cost: value('cost') }
}

function kept(field: keyof Usage, sum: number): number | null {
  return (field === 'cost' ? Number.isFinite(sum) : Number.isSafeInteger(sum)) ? sum : null
}

/** Tokens in few words: `960 tokens`, `12.4k tokens`, `1.2M tokens`. */
export function tokensText(count: number): string {
  const units = ['', 'k', 'M', 'B', 'T']
  let [value, step] = [count, 0]
  // What would be rounded to 1,000 is 1 of the next unit.
  for (; value >= 999.95 && step < units.length - 1; step++) value /= 1000
  return `${step === 0 ? count : value.toFixed(1).replace(/\.0$/, '')}${units[step]} token${count === 1 ? '' : 's'}`
}

/** A cost in dollars, in as many digits as say something: `$0.42`, `$0.0031`. */
export function costText(dollars: number): string {
  const isTiny = dollars > 0 && dollars < 0.01
  return isTiny ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`
}

/** What of a usage is shown in a row: its tokens, else its cost; `null` where it says neither. */
export function usageText(usage: Usage | null): string | null {
  if (usage === null) return null
  if (usage.total !== null) return tokensText(usage.total)
  return usage.cost === null || usage.cost === 0 ? null : costText(usage.cost)
}

/** All that a usage says, each part in words; a cost of 0 is left out, since it may only mean that no price was known. */
export function usageWords({ input, cached, output, total, cost }: Usage): readonly string[] {
  const number = (count: number): string => count.toLocaleString('en-US')
  return [
    ...(total === null ? [] : [`${number(total)} ${total === 1 ? 'token' : 'tokens'}`]),
    ...(input === null ? [] : [`${number(input)} given to the model${cached === null || cached === 0 ? '' : `, ${number(cached)} of them from its cache`}`]),
    ...(output === null ? [] : [`${number(output)} written by it`]),
    ...(cost === null || cost === 0 ? [] : [`${costText(cost)} as the agent recorded it`]),
  ]
}
