/** Where a secret stands in a text: UTF-16 indexes, `end` behind its last character. */
export interface Secret {
  readonly start: number
  readonly end: number
  /** What found it, for a person. */
  readonly rule: string
}

/** What the rule set of the library does not know. Each expression is linear, and `secret` names the part to take out. */
const patterns: readonly { readonly rule: string; readonly expression: RegExp }[] = [
  {
    rule: 'private key',
    expression:
      /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,20000}-----END [A-Z0-9 ]{0,40}-----|(?:\s{1,4}[A-Za-z0-9+/=]{16,200}){0,400})/g,
  },
  { rule: 'AWS access key', expression: /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g },
  { rule: 'GitLab token', expression: /\bglpat-[\w-]{20,64}/g },
  { rule: 'Stripe key', expression: /\b[rs]k_live_[A-Za-z0-9]{16,200}/g },
  { rule: 'Google API key', expression: /\bAIza[\w-]{35}(?![\w-])/g },
  { rule: 'GitHub token', expression: /\bgithub_pat_\w{22,255}/g },
  { rule: 'web token', expression: /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,2000}/g },
  { rule: 'bearer token', expression: /(?<=\bauthorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token)\s)[\w.~+/=-]{16,2000}/gi },
  { rule: 'password in an address', expression: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/?#"']{0,200}:)[^\s:@/?#"'${}<>*]{3,200}(?=@[\w[])/gi },
  {
    rule: 'secret in a setting',
    expression:
      /(?<=(?:^|[\s"'{,;])(?:[A-Z0-9]{1,40}_){0,8}(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY)(?:_[A-Z0-9]{1,20}){0,2}["']?[ \t]{0,3}[:=][ \t]{0,3}["']?)(?!process\.|os\.|import\.|env\.)(?=[^\s"']{0,80}\d)[\w+/=~!@#%^&.-]{8,500}/g,
  },
]

/** The secrets that our own patterns find in a piece of text. */
export function secretsByPattern(text: string): readonly Secret[] {
  return patterns.flatMap(({ rule, expression }) =>
    [...text.matchAll(expression)].map((found): Secret => ({ start: found.index, end: found.index + found[0].length, rule })),
  )
}

/** Sorted by place, those that touch or overlap made one. */
export function mergeSecrets(secrets: readonly Secret[]): readonly Secret[] {
  const merged: Secret[] = []
  for (const secret of [...secrets].sort((one, two) => one.start - two.start || two.end - one.end)) {
    const last = merged[merged.length - 1]
    if (last && secret.start < last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, secret.end) }
    else merged.push(secret)
  }
  return merged
}

/** The text with every secret taken out; what found it stands in its place. */
export function redact(text: string, secrets: readonly Secret[]): string {
  let kept = ''
  let at = 0
  for (const { start, end, rule } of mergeSecrets(secrets)) {
    kept += `${text.slice(at, start)}[${rule} taken out]`
    at = end
  }
  return kept + text.slice(at)
}
