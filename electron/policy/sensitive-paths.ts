import { isAtLeast, type SensitivePath, type Sensitivity } from '../../shared/policy.js'

/** Where secrets lie by custom. A person may add to it, and take from it, in the policy file. */
export const defaultSensitivePaths: readonly SensitivePath[] = [
  ...['.env', '.env.*', '*.env', '.envrc'].map((pattern): SensitivePath => ({ pattern, level: 'RESTRICTED' })),
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.ppk', '*.kdbx'].map((pattern): SensitivePath => ({
    pattern,
    level: 'RESTRICTED',
  })),
  ...['id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*', '.ssh/', '.gnupg/'].map((pattern): SensitivePath => ({ pattern, level: 'RESTRICTED' })),
  ...['.npmrc', '.netrc', '_netrc', '.pypirc', '.git-credentials', '.pgpass', '.my.cnf', '.htpasswd'].map((pattern): SensitivePath => ({
    pattern,
    level: 'RESTRICTED',
  })),
  ...['.aws/', '.azure/', '.config/gcloud/', '.kube/', 'kubeconfig', '*.kubeconfig', '.docker/config.json'].map((pattern): SensitivePath => ({
    pattern,
    level: 'RESTRICTED',
  })),
  ...['etc/shadow', 'etc/gshadow', 'etc/sudoers', 'proc/*/environ'].map((pattern): SensitivePath => ({ pattern, level: 'RESTRICTED' })),
  ...['credentials', 'credentials.*', 'secrets.*', '*.secret', '*.tfstate', '*.tfvars'].map((pattern): SensitivePath => ({
    pattern,
    level: 'CONFIDENTIAL',
  })),
  ...['.bash_history', '.zsh_history', '.psql_history', '.python_history'].map((pattern): SensitivePath => ({ pattern, level: 'CONFIDENTIAL' })),
]

/** The highest level that a pattern gives a path (`/` between names, no `/` in front), or `null` where none fits. Ignores case. */
export function sensitivityOf(path: string, patterns: readonly SensitivePath[]): Sensitivity | null {
  return patternFor(path, patterns)?.level ?? null
}

/** The pattern with the highest level that fits a path. */
export function patternFor(path: string, patterns: readonly SensitivePath[]): SensitivePath | null {
  const { anyOfThem, each } = compiled(patterns)
  if (!anyOfThem.test(path)) return null
  let found: SensitivePath | null = null
  for (const { entry, expression } of each) if ((!found || !isAtLeast(found.level, entry.level)) && expression.test(path)) found = entry
  return found
}

interface Compiled {
  /** Most paths fit none, and one look must tell. */
  readonly anyOfThem: RegExp
  readonly each: readonly { readonly entry: SensitivePath; readonly expression: RegExp }[]
}

const known = new WeakMap<readonly SensitivePath[], Compiled>()

function compiled(patterns: readonly SensitivePath[]): Compiled {
  const before = known.get(patterns)
  if (before) return before
  const sources = patterns.map((entry) => sourceOf(entry.pattern))
  const made: Compiled = {
    anyOfThem: sources.length > 0 ? new RegExp(sources.join('|'), 'i') : /(?!)/,
    each: patterns.map((entry, at) => ({ entry, expression: new RegExp(sources[at] ?? '(?!)', 'i') })),
  }
  known.set(patterns, made)
  return made
}

/** `*` is any text in a name, `**` any folders, `?` one character. */
function sourceOf(pattern: string): string {
  const body = pattern
    .replace(/^\/|\/$/g, '')
    .replace(/\*+|\?|[^\w]/g, (sign) => (sign.startsWith('**') ? '.*' : sign === '*' ? '[^/]*' : sign === '?' ? '[^/]' : `\\${sign}`))
  return `${pattern.startsWith('/') ? '^' : '(?:^|/)'}${body}${pattern.endsWith('/') ? '(?:/|$)' : '$'}`
}
