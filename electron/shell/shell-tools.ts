type Words = readonly (string | null)[]

/** Programs that never change files, whatever their arguments. */
const readers = new Set(
  `: [ ack ag basename base64 bc cat cksum cmp comm cut date df diff dirname du echo egrep exit expr false fgrep file fold
  free getconf grep groups head hexdump hostname id jobs join jq kill less local locale look ls lsof md5sum more nl nproc
  numfmt od paste pgrep ping printenv printf ps pwd read readlink readonly realpath return rev seq set sha1sum sha256sum
  sha512sum shift sleep ss stat strings tac tail test top tput tr true tty type typeset ulimit uname unset uptime users
  wait wc whatis whereis which who whoami`.split(/\s+/),
)

/** Whether the program only reads, with these arguments. A `null` argument is one that an expansion decides. */
export function isRead(name: string, args: Words): boolean {
  if (args.length === 1 && /^(--version|--help|-V)$/.test(args[0] ?? '') && /^[a-z][\w.-]*$/.test(name)) return true
  if (readers.has(name)) return true
  const has = (pattern: RegExp): boolean => args.some((arg) => arg === null || pattern.test(arg))
  switch (name) {
    case 'find':
      return !has(/^-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$/)
    case 'rg':
      return !has(/^--(pre|hostname-bin)/)
    case 'fd':
      return !has(/^(-[a-zA-Z]*[xX]|--exec)/)
    case 'sort':
      return !has(/^(-[a-zA-Z]*o|--output|--compress-program)/)
    case 'tree':
      return !has(/^-[a-zA-Z]*o/)
    case 'uniq':
      return !has(/^$/) && args.filter((arg) => arg !== null && !arg.startsWith('-')).length < 2
    case 'xxd':
      return !has(/^-r/) && args.filter((arg) => arg !== null && !arg.startsWith('-')).length < 2
    case 'awk':
    case 'gawk':
    case 'mawk':
      return !has(/>|\||system|getline|^-[a-zA-Z]*[filE]|^--/)
    case 'curl':
      return !has(/^(-[a-zA-Z#]*[oOJDcKR]|--(output|remote|dump|cookie-jar|config|trace|create|hsts|etag-save|alt-svc|libcurl|stderr))/)
    case 'export':
    case 'declare':
      return !has(/^(PATH|LD_|GIT_|BASH_ENV|ENV|IFS|CDPATH)/)
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return /^(ls|list|view|info|outdated|why|root|prefix|bin|search|whoami|explain)$/.test(args[0] ?? '')
    case 'docker':
      return /^(ps|images|logs|inspect|version|info)$/.test(args[0] ?? '')
    default:
      return false
  }
}

const quietTools = new Set(
  `ava biome black cargo ctest dotnet eslint flake8 go gofmt golangci-lint gradle jest mocha mvn mypy nyc oxlint phpunit
  prettier pylint pytest pyright rspec rubocop ruff rustfmt standard stylelint svelte-check swift tox tsc unittest vitest
  vue-tsc xo`.split(/\s+/),
)
const harmlessTasks = /^(t|test|tests|lint|build|check|typecheck|type-check|format|fmt|prettier|coverage|ci:test|tsc|unit|e2e)([:.-][\w:.-]*)?$/

/**
 * Whether the program is one that checks, formats or builds: it may write files, with fresh times, but deletes no source
 * and puts nothing old in its place.
 */
export function isQuietTool(name: string, args: Words): boolean {
  const [first, second] = args
  switch (name) {
    case 'npx':
    case 'bunx':
      return first !== null && first !== undefined && quietTools.has(first)
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun': {
      const task = first === 'run' || first === 'run-script' ? second : first
      return typeof task === 'string' && harmlessTasks.test(task)
    }
    case 'cargo':
    case 'go':
    case 'dotnet':
    case 'swift':
      return /^(test|check|build|clippy|fmt|vet)$/.test(first ?? '')
    case 'mvn':
    case 'gradle':
      return args.every((arg) => /^(-.*|test|compile|package|verify|build|check)$/.test(arg ?? '?'))
    default:
      return quietTools.has(name)
  }
}

const gitReads = /^(blame|cat-file|check-ignore|count-objects|describe|diff|diff-tree|for-each-ref|fsck|grep|help|log|ls-files|ls-remote|ls-tree|merge-base|name-rev|reflog|rev-list|rev-parse|shortlog|show|show-ref|status|var|version|whatchanged)$/
/** They change what lies in `.git` and run no hook that touches files. */
const gitInside = /^(add|branch|config|fetch|init|remote|tag)$/

/** Whether a call of git leaves the files of the work tree as they are. */
export function isHarmlessGit(args: Words): boolean {
  if (args.some((arg) => arg === null || /^(--output|--exec|-c$|--ext-diff|--git-dir|--work-tree)/.test(arg))) return false
  const at = args[0] === '-C' ? 2 : args.findIndex((arg) => arg !== '--no-pager' && arg !== '-P')
  const command = args[at] ?? ''
  if (command === 'stash') return /^(list|show)$/.test(args[at + 1] ?? '')
  return gitReads.test(command) || gitInside.test(command)
}
