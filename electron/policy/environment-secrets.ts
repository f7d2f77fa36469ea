import { secretsByPattern, type Secret } from './secret-patterns.js'

/** A value of the host's own environment that must not be shown. */
export interface EnvironmentSecret {
  readonly name: string
  readonly value: string
}

const shortest = 8
const secretName = /(?:^|_)(?:SECRETS?|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|AUTH_?KEY|CREDENTIALS?|KEY|PAT|DSN|WEBHOOK(?:_URL)?)(?:$|_)/i

/**
 * The secrets that an environment holds: by the name of the variable, where the value is more than a word, a number or a path; by a
 * pattern of a known kind; or by letters of both cases and digits that look drawn by chance, whatever the name. Hashes in
 * hexadecimal count by name only, since commits are such.
 */
export function environmentSecrets(environment: Readonly<Record<string, string | undefined>>): readonly EnvironmentSecret[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || value.length < shortest || value.length > 4096) return []
    const isSecret = (secretName.test(name) && isMoreThanPlain(value)) || secretsByPattern(value).length > 0 || isDrawnByChance(value)
    return isSecret ? [{ name, value }] : []
  })
}

/** Every place where one of them stands in a text. */
export function secretsOfEnvironment(text: string, secrets: readonly EnvironmentSecret[]): readonly Secret[] {
  return secrets.flatMap(({ name, value }) => {
    const found: Secret[] = []
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) found.push({ start: at, end: at + value.length, rule: `value of ${name.slice(0, 40)}` })
    return found
  })
}

function isMoreThanPlain(value: string): boolean {
  if (/^[~./\\]|^[A-Za-z]:\\/.test(value) || value.includes('\n')) return /-----BEGIN/.test(value)
  return !/^(?:[a-z]+|[A-Z]+|[\d.,:]+|true|false)$/.test(value)
}

const leastChance = 3.6

function isDrawnByChance(value: string): boolean {
  if (value.length < 20 || !/^[\w+/=-]+$/.test(value) || !/[a-z]/.test(value) || !/[A-Z]/.test(value) || (value.match(/\d/g)?.length ?? 0) < 3) return false
  // A path, or words with dashes between, is named, not drawn.
  if (value.split(/[/_=-]/).some((part) => part.length < 3 && part !== '') || /^\/|\/\//.test(value) || value.split(/[/_-]/).length > 4) return false
  return bitsOf(value) >= leastChance
}

/** Entropy of its characters, bits each. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}
