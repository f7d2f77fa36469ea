import { Given, literals, valued, type Valued } from './arguments.js'
import { outcome, type Call, type Inner, type Judge, type Outcome } from './call.js'
import { allows, asks, asksAlways, asksForNetwork, asksToRead, denied, type Finding } from './findings.js'
import { placeOf, reading, writing } from './places.js'
import { rewriting } from './git-history.js'
import { literalOf, plainField, type Field } from './shell-fields.js'
import { readingOptions } from './read-commands.js'
import { asLine } from './wrapper-commands.js'

/** The verb of a git command and what stands around it. */
export interface GitWords {
  readonly verb: string | null
  readonly rest: readonly Field[]
  /** What the options before the verb do. */
  readonly findings: readonly Finding[]
  readonly inner: readonly Inner[]
}

const globalWithValue = /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source)$/

export function readGit(words: readonly Field[], ground: Call['ground']): GitWords {
  const findings: Finding[] = []
  const inner: Inner[] = []
  let at = 0
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? ''
    if (!text.startsWith('-')) break
    if (/^--?(?:no-pager|P|literal-pathspecs|no-optional-locks|version|v|no-replace-objects|bare|glob-pathspecs|icase-pathspecs)$/.test(text))
      continue
    if (/^--?h(?:elp)?$/.test(text)) {
      // With a word behind it, the manual of that verb is opened.
      if (words.length > at + 1) findings.push(asks('Opens the manual in another program'))
      continue
    }
    const value = globalWithValue.test(text) ? words[++at] : plainField(text.slice(text.indexOf('=') + 1))
    if (text === '-C' && value) findings.push(gitIn(value, ground))
    else if (/^--(?:git-dir|work-tree)/.test(text) && value) findings.push(gitIn(value, ground), asksAlways('Works on another repository'))
    else findings.push(asksAlways(`git with ${text.slice(0, 20)} may run other programs`))
    const script = text === '-c' ? programIn(value?.text ?? '') : null
    if (script !== null) inner.push(asLine([plainField(script)]))
  }
  const verb = words[at]
  return { verb: verb ? literalOf(verb) : '', rest: words.slice(at + 1), findings, inner }
}

/** The command in a setting of git that runs one. */
function programIn(setting: string): string | null {
  return (
    /^(?:alias\.[^=]*=!|(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|pager\.[\w-]+|sequence\.editor|gpg\.program|diff\.[^=]*(?:command|textconv|external)|credential\.helper)=!?)(.+)$/is.exec(
      setting,
    )?.[1] ?? null
  )
}

/** Work in a folder: outside the workspace it may be looked at with an approval, and never changed. */
function gitIn(folder: Field, ground: Call['ground']): Finding {
  const place = placeOf(folder.text, ground)
  if (place.kind === 'inside' || place.kind === 'workspace') return allows()
  return place.kind === 'unknown'
    ? asksAlways(`Works in a folder that its text does not tell (${place.shown})`)
    : asksToRead(`Works in ${place.shown}, outside the workspace`)
}

const readVerbs = new Set(
  `status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file merge-base name-rev diff-tree
  diff-index diff-files for-each-ref show-ref show-branch whatchanged grep count-objects version check-ignore check-attr cherry
  range-diff var`.split(/\s+/),
)

/** Options with which a reading verb writes, or runs a program. */
const unsafeReading = [
  'ext-diff',
  'output',
  'textconv',
  'filters',
  'open-files-in-pager',
  'no-index',
  'contents',
  'exec-path',
  'paginate',
  'output-directory',
  // Opens the manual.
  'help',
] as const

const ofHistory = 'author committer since until after before grep max-count skip'

/** Options of which a verb surely takes the next word as their value; for all others that word is judged as an operand. */
const valuesOf: Readonly<Record<string, Valued>> = {
  log: valued('nLSG', ofHistory),
  show: valued('nLSG', ofHistory),
  'rev-list': valued('nSG', ofHistory),
  diff: valued('SG'),
  grep: valued('eABCm', 'max-count max-depth context after-context before-context'),
  blame: valued('L'),
  annotate: valued('L'),
  'for-each-ref': valued('', 'format sort count'),
}

function judgeReading(verb: string, rest: readonly Field[], ground: Call['ground']): Outcome {
  const given = new Given(rest, valuesOf[verb])
  // blame puts the words around a `--` in another order, and reads one behind it as an option.
  const all = new Given(rest.filter((word) => word.text !== '--'))
  if (all.has(verb === 'grep' ? 'O' : '', ...unsafeReading))
    return outcome(
      asks(`git ${verb} with an option that may write or run something`),
      ...all.values('', 'output').map((field) => writing(field, ground)),
    )
  return outcome(
    ...given.operands.filter(mayBePath).map((field) => reading(field, ground)),
    ...readingOptions(rest, ground),
    ...(given.operands.some((field) => field.text.startsWith('\0')) ? [asksToRead('Has words that its text does not tell')] : []),
  )
}

/** A revision is no path; what leaves the workspace is one. */
function mayBePath(field: Field): boolean {
  return /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(field.text) || /(?:^|\/)\.env|\.(?:pem|key)$/.test(field.text)
}

/** Verbs that list when they are given nothing to make. */
const listing: Readonly<Record<string, (given: Given) => boolean>> = {
  branch: (given) =>
    given.operands.length === 0
      ? !given.has('dDmMcCuf', 'delete', 'move', 'copy', 'force', 'edit-description', 'set-upstream-to', 'unset-upstream')
      : given.has('', 'list', 'contains', 'merged', 'no-merged', 'points-at') &&
        !given.has('dDmMcCfu', 'delete', 'move', 'copy', 'force', 'edit-description', 'set-upstream-to', 'unset-upstream'),
  tag: (given) =>
    (given.operands.length === 0 || given.has('ln', 'list', 'contains', 'points-at')) &&
    !given.has('dsaufm', 'delete', 'sign', 'annotate', 'force', 'message', 'file'),
  remote: (given) => given.operands.length === 0 || given.operands[0]?.text === 'get-url',
  stash: (given) => /^(?:list|show)$/.test(given.operands[0]?.text ?? ''),
  worktree: (given) => given.operands[0]?.text === 'list',
  submodule: (given) => given.operands.length === 0 || given.operands[0]?.text === 'status' || given.operands[0]?.text === 'summary',
  reflog: (given) => given.operands.length === 0 || given.operands[0]?.text === 'show',
  notes: (given) => given.operands.length === 0 || /^(?:list|show)$/.test(given.operands[0]?.text ?? ''),
  config: (given) =>
    !given.has('e', 'edit', 'add', 'unset', 'unset-all', 'replace-all', 'rename-section', 'remove-section', 'file', 'blob', 'global', 'system') &&
    (given.has('l', 'list', 'get', 'get-all', 'get-regexp', 'get-urlmatch') || /^(?:get|list)$/.test(given.operands[0]?.text ?? '')),
  bisect: (given) => /^(?:log|view|visualize)$/.test(given.operands[0]?.text ?? '') && given.operands[0]?.text === 'log',
}

function isListing(verb: string, given: Given): boolean {
  // `--list --no-list name` makes one after all.
  const takesBack = given.options.some(({ name }) => /^no-(?!(?:merged|contains|color|column|abbrev)$)/.test(name))
  return !takesBack && listing[verb]?.(given) === true
}

const networkVerbs = new Set([
  'clone',
  'fetch',
  'pull',
  'push',
  'ls-remote',
  'send-email',
  'fetch-pack',
  'send-pack',
  'request-pull',
  'svn',
  'p4',
  'lfs',
  'imap-send',
  'remote-https',
  'archive-remote',
])

const reasons: Readonly<Record<string, string>> = {
  add: 'Changes what git will commit',
  stage: 'Changes what git will commit',
  rm: 'Deletes files',
  mv: 'Moves files',
  commit: 'Makes a commit, which may run hooks',
  clean: 'Deletes files that git does not know',
  checkout: 'Changes files to another state',
  switch: 'Changes files to another state',
  restore: 'Throws away changes that are not committed',
  merge: 'Changes the branch and files',
  'cherry-pick': 'Changes the branch and files',
  revert: 'Changes the branch and files',
  apply: 'Changes files as a patch says',
  am: 'Changes the branch and files as patches say',
  stash: 'Puts changes aside',
  tag: 'Changes tags',
  branch: 'Changes branches',
  config: "Changes git's configuration",
  gc: 'Cleans the repository',
  init: 'Makes a repository',
  worktree: 'Changes worktrees',
  remote: 'Changes remotes',
  submodule: 'Changes submodules',
  reset: 'Changes what git will commit',
  bisect: 'Changes files to another state',
  maintenance: 'Plans work of git',
}

/** git: reads, changes, reaches the network, rewrites what others may build on. */
export const git: Judge = (call) => {
  const { verb, rest, findings, inner } = readGit(call.words, call.ground)
  if (verb === null) return { findings: [...findings, asksAlways('Runs a git command that its text does not tell')], inner }
  const judged = judgeVerb(verb, rest, call)
  // A folder below may hold a repository whose configuration runs programs.
  const isAtHome = call.ground.isSure && call.ground.directories.every((folder) => folder === call.ground.workspaceRoot)
  const strays = !isAtHome || call.words.some((word) => word.text === '-C')
  if (strays && judged.findings.every((finding) => finding.verdict === 'allowed'))
    return { findings: [...findings, asksToRead('Uses the repository of another folder, whose settings may run programs')], inner }
  const isElsewhere = findings.some((finding) => finding.verdict !== 'allowed' && finding.isReadOnly)
  const changes = judged.findings.some((finding) => !finding.isReadOnly)
  return {
    findings: [
      ...findings,
      ...judged.findings,
      ...(isElsewhere && changes ? [denied('Changes a repository outside the workspace. Work in the workspace.')] : []),
    ],
    inner: [...inner, ...(judged.inner ?? [])],
  }
}

function judgeVerb(verb: string, rest: readonly Field[], call: Call): Outcome {
  const { ground } = call
  // No verb of git, though each of our tables has it from its prototype.
  if (verb in {}) return outcome(asks(`git ${verb} is an alias`))
  if (verb === '' || readVerbs.has(verb)) return judgeReading(verb, rest, ground)
  const given = new Given(rest, valued('mFCctobxXsSu', 'message file author date strategy exec branch depth onto output reference template'))
  // config reads no options behind its first operand: `git config a.b c --get` sets.
  const isAsked = verb !== 'config' || isListing(verb, new Given(rest, valued('', 'type default'), true))
  if (isAsked && isListing(verb, new Given(rest))) return judgeReading(verb, rest, ground)
  const rewrite = rewriting(verb, rest, given, call)
  const inner: Inner[] = [...scriptsOf(verb, rest, given)]
  const written = writtenBy(verb, given, ground)
  if (verb === 'config')
    return {
      findings: configuring(rest, given),
      inner: [
        ...inner,
        ...given.operands.filter((field) => field.text.startsWith('!')).map((field) => asLine([{ ...field, text: field.text.slice(1) }])),
      ],
    }
  if (
    networkVerbs.has(verb) ||
    (verb === 'remote' && /^(?:update|show|prune)$/.test(rest[0]?.text ?? '')) ||
    (verb === 'submodule' && /^(?:update|add)$/.test(rest[0]?.text ?? '')) ||
    (verb === 'archive' && given.has('', 'remote'))
  )
    return {
      findings: [
        ...rewrite,
        asksForNetwork(verb === 'push' ? 'changes a remote repository' : ''),
        ...written,
        ...(rest.some((word) => word.text.startsWith('ext::') || /^--(?:upload-pack|receive-pack|exec)/.test(word.text))
          ? [asksAlways('runs a program to connect')]
          : []),
      ],
      inner,
    }
  const reason = reasons[verb]
  return {
    findings: [...rewrite, reason ? asks(reason) : asks(`git ${verb.slice(0, 30)} changes the repository, or is an alias`), ...written],
    inner,
  }
}

/** Commands that a verb runs. */
function scriptsOf(verb: string, rest: readonly Field[], given: Given): readonly Inner[] {
  if (verb === 'rebase') return given.values('x', 'exec').map((word) => asLine([word]))
  if (verb === 'submodule' && literals(rest).includes('foreach'))
    return [asLine(rest.slice(rest.findIndex((word) => word.text === 'foreach') + 1).filter((word) => !/^--?(?:recursive|quiet|q)$/.test(word.text)))]
  if (verb === 'bisect' && rest[0]?.text === 'run') return [{ kind: 'words', words: rest.slice(1) }]
  if (verb === 'filter-branch')
    return rest.flatMap((word, at) => (word.text.endsWith('-filter') ? rest.slice(at + 1, at + 2).map((script) => asLine([script])) : []))
  if (verb === 'difftool' || verb === 'mergetool') return given.values('x', 'extcmd').map((word) => asLine([word]))
  return []
}

/** Places that a verb writes to, where they are named. */
function writtenBy(verb: string, given: Given, ground: Call['ground']): readonly Finding[] {
  const named = given.values('o', 'output', 'output-directory', 'separate-git-dir')
  const operands =
    {
      clone: given.operands.slice(1),
      init: given.operands,
      worktree: given.operands.slice(1, 2),
      mv: given.operands,
      rm: given.operands,
      bundle: given.operands.slice(1, 2),
    }[verb] ?? []
  return [...named, ...operands].map((field) => writing(field, ground)).filter((finding) => finding.verdict === 'denied')
}

function configuring(rest: readonly Field[], given: Given): readonly Finding[] {
  if (
    given.has('', 'global', 'system') &&
    (given.has('l', 'list', 'get', 'get-all', 'get-regexp') || /^(?:get|list)$/.test(given.operands[0]?.text ?? ''))
  )
    return [asksToRead("Reads git's configuration outside this repository")]
  if (given.has('', 'global', 'system') || rest.some((word) => /^--(?:file|blob)\b|^-f/.test(word.text)))
    return [denied("Changes git's configuration outside this repository. Ask the person to do it.")]
  const key = literals(given.operands).find((text) => text.includes('.')) ?? ''
  if (
    /^(?:core\.(?:hookspath|fsmonitor|pager|editor|sshcommand|askpass|gitproxy|worktree|attributesfile)|alias\.|filter\.|diff\..*\.(?:command|textconv)|merge\..*\.driver|include|credential\.|gpg\.|pager\.|sequence\.editor|uploadpack\.|receive\.|remote\..*\.(?:receivepack|uploadpack|vcs|proxy))/i.test(
      key,
    )
  )
    return [asksAlways(`Sets ${key.slice(0, 40)}, with which git runs programs`)]
  return [asks("Changes git's configuration")]
}

/** The branches that a command leads to when it checks one out. */
export function checkedOut(words: readonly Field[], ground: Call['ground']): string | null {
  const { verb, rest } = readGit(words, ground)
  if (verb !== 'checkout' && verb !== 'switch') return null
  const [target, ...more] = new Given(rest, valued('')).operands
  return target && more.length === 0 ? literalOf(target) : null
}
