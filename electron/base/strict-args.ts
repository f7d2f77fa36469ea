import { parseArgs, type ParseArgsConfig } from 'node:util'

/**
 * As `parseArgs`, but an option that takes one value is refused where it is given twice: the last would win unseen.
 * Errors: an Error whose message is for the person who typed it.
 */
export function parseStrict<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  const parsed = parseArgs({ ...config, tokens: true })
  const seen = new Set<string>()
  for (const token of parsed.tokens ?? []) {
    if (token.kind !== 'option' || config.options?.[token.name]?.type !== 'string' || config.options[token.name]?.multiple === true) continue
    if (seen.has(token.name)) throw new Error(`--${token.name} is given twice. Give it once.`)
    seen.add(token.name)
  }
  return parsed as ReturnType<typeof parseArgs<Config>>
}
