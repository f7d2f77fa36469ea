import { type Call, type Judge, type Outcome } from './call.js'
import { codeJudges, running } from './code-commands.js'
import { fileJudges } from './file-commands.js'
import { asks, asksAlways, asksToRead, type Finding } from './findings.js'
import { git } from './git-command.js'
import { machineJudges, makesFileSystem, patternNames } from './machine-commands.js'
import { networkJudges } from './network-commands.js'
import { isShowable, readJudges } from './read-commands.js'
import { placeOf, type Ground } from './places.js'
import { anyName, literalOf, plainField, type Field } from './shell-fields.js'
import { judgeDeclaration } from './variables.js'
import { wrapperJudges } from './wrapper-commands.js'

const judges: ReadonlyMap<string, Judge> = new Map([
  ...readJudges,
  ...fileJudges,
  ...machineJudges,
  ...networkJudges,
  ...codeJudges,
  ...wrapperJudges,
  ['git', git],
])

const declarations = new Set(['export', 'declare', 'typeset', 'local', 'readonly', 'unset', 'read', 'mapfile', 'readarray', 'getopts', 'let'])

/** Where the programs of the system lie; one found elsewhere is code of somebody's. */
const systemFolder = /^\/(?:usr\/)?(?:local\/)?s?bin\/+|^\/opt\/homebrew\/s?bin\/+/

/** The name under which a command is known: without a system folder, and as a file system that ignores case finds it. */
export function commandName(text: string): string {
  const tidy = text.startsWith('/') ? text.replace(/\/+(?:\.\/+)*/g, '/').replace(/\/[^/]+\/\.\.(?=\/)/g, '') : text
  return tidy.replace(systemFolder, '').replace(/\.exe$/i, '')
}

/** The same for a name in a command: a path with `..` may lead to the system's programs too. */
export function programName(text: string, ground: Ground): string {
  if (!text.includes('/') || text.startsWith('/')) return commandName(text)
  const place = placeOf(text, ground)
  return place.kind === 'outside' ? commandName(place.path) : text
}

/** Options of these can neither write nor run anything, whatever a word turns out to be. */
const harmlessOptions = new Set(
  `ls cat head tail wc nl tac rev fold fmt paste join cut comm cmp od hexdump strings stat du df basename dirname realpath readlink column
  base64 md5sum sha1sum sha256sum sha512sum cksum tr seq expr sleep nproc whoami id pwd which type true false : exit return break continue
  shift grep egrep fgrep echo printf jq`.split(/\s+/),
)

/** What words mean that may become others than they look. */
function judgeWords(name: string, words: readonly Field[]): readonly Finding[] {
  const isTest = /^(?:test|\[|:|true|false)$/.test(name)
  const secrets = isTest || words.every((word) => isShowable(word.raw)) ? [] : [asksToRead('Shows variables of the environment')]
  if (harmlessOptions.has(name)) return secrets
  const end = name === 'find' ? -1 : words.findIndex((word) => word.text === '--')
  const mayBeOption = words.some((word, at) => word.canSplit || (word.text.startsWith(anyName) && !isTest && (end < 0 || at < end)))
  return mayBeOption ? [...secrets, asksAlways('A word that its text does not tell may become an option')] : secrets
}

/** What a command with a known name does. */
export function judgeNamed(name: string, call: Omit<Call, 'name'>): Outcome {
  const outcome = judgeByName(name, call)
  const isAsked = outcome.findings.some((finding) => finding.verdict !== 'allowed' && !finding.isReadOnly)
  return isAsked ? outcome : { ...outcome, findings: [...outcome.findings, ...judgeWords(name, call.words)] }
}

function judgeByName(name: string, call: Omit<Call, 'name'>): Outcome {
  if (declarations.has(name)) return { findings: judgeDeclaration(name, call.words) }
  const judge = judges.get(name)
  if (judge) return judge({ ...call, name })
  if (name.startsWith('mkfs.')) return makesFileSystem({ ...call, name })
  if (/^(?:python|pypy|node|ruby|perl|php|lua)[\d.]+$/.test(name)) return judgeNamed(name.replace(/[\d.]+$/, ''), call)
  const lower = name.toLowerCase()
  if (lower !== name && judges.has(lower)) {
    const outcome = judgeNamed(lower, call)
    return { ...outcome, findings: [...outcome.findings, asks(`Runs ${name.slice(0, 40)}, which is not known`)] }
  }
  // A system's program that is not known, or a file.
  if (name.includes('/')) return { findings: [running(plainField(name), call.ground)] }
  return { findings: [asks(`Runs ${name.slice(0, 40)}, which is not known`)] }
}

/** A command whose name a pattern decides: denied when one of the dangerous names fits. */
export function judgePattern(text: string, call: Omit<Call, 'name'>): Outcome {
  const last = commandName(text).split('/').pop() ?? ''
  const expression = new RegExp(
    `^${last
      .split(anyName)
      .map((piece) => piece.replace(/[^\w]/g, '\\$&'))
      .join('.*')}$`,
  )
  const worst = patternNames
    .filter((name) => expression.test(name))
    .map((name) => judgeNamed(name, call))
    .find((outcome) => outcome.findings.some((finding) => finding.verdict === 'denied'))
  return worst ?? { findings: [asksAlways('The name of the command is a pattern')] }
}

/** What a command means whose name is known only in part: the worst that it may be. */
export function judgeUnknownName(fields: readonly Field[], call: Omit<Call, 'name' | 'words'>): Outcome {
  const left = fields.filter((field) => !field.canVanish)
  const [first, ...words] = left
  const name = first?.whenEmpty ?? ''
  const asked = asksAlways('The name of the command is decided by a variable or a substitution')
  if (!first || name === '' || literalOf(plainField(name)) === null) return { findings: [asked] }
  const outcome = judgeNamed(commandName(name), { ...call, words })
  return { ...outcome, findings: [...outcome.findings, asked] }
}

/** Whether a name means a command that is judged by its words, and so must keep its meaning. */
export function isKnownCommand(name: string): boolean {
  return judges.has(name) || declarations.has(name) || /^(?:cd|pushd|popd|chdir)$/.test(name)
}
