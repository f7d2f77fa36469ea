import { Given, valued } from './arguments.js'
import type { Call } from './call.js'
import { asks, denied, type Finding } from './findings.js'
import { literalOf, type Field } from './shell-fields.js'

/** What makes others' commits unreachable: denied for remotes and protected branches, asked for all other branches. */
export function rewriting(verb: string, rest: readonly Field[], given: Given, call: Call): readonly Finding[] {
  const texts = rest.map((word) => word.text)
  if (verb === 'push') {
    const forced = new Given(rest, valued('o', 'push-option repo receive-pack exec'))
    const isForced =
      forced.has('fd', 'force', 'force-with-lease', 'mirror', 'delete', 'prune', 'force-if-includes') ||
      forced.operands.some((word) => /^[+:]./.test(word.text))
    return isForced ? [denied('Rewrites or deletes history of a remote. Push a new commit, or a new branch, instead.')] : []
  }
  const named = namedBranches(verb, given, texts)
  if (named === null) return []
  const targets = named.flatMap((branch) => (branch === currentBranch ? call.branches : [branch]))
  const hit = targets.find((branch) => branch !== null && call.isProtected(branch.replace(/^refs\/heads\//, '')))
  if (typeof hit === 'string') return [denied(`Rewrites history of the protected branch ${hit}. Make a new commit, or work on a branch of your own.`)]
  return [asks('Rewrites history of the branch')]
}

/** The branches whose history a command rewrites; `null` when it rewrites none. */
function namedBranches(verb: string, given: Given, texts: readonly string[]): readonly (string | null)[] | null {
  const named = given.operands.map((field) => literalOf(field))
  switch (verb) {
    case 'reset': {
      const moves =
        given.has('', 'hard', 'soft', 'merge', 'keep') || texts.some((text) => /^(?:HEAD|@)(?:[~^]|@\{)|^[0-9a-f]{7,40}$|^origin\//.test(text))
      return moves ? [currentBranch] : null
    }
    case 'rebase':
      return texts.some((text) => /^--(?:abort|continue|skip|quit|show-current-patch)$/.test(text)) ? null : [currentBranch, ...named.slice(1)]
    case 'commit':
      return given.has('', 'amend') ? [currentBranch] : null
    case 'filter-branch':
    case 'filter-repo':
      return [currentBranch, ...named]
    case 'update-ref':
    case 'symbolic-ref':
      return [...named, currentBranch]
    case 'replace':
    case 'fast-import':
      return [currentBranch]
    case 'branch':
      return given.has('dDMmfC', 'delete', 'force', 'move') ? named : null
    case 'checkout':
      return given.has('B')
        ? texts.flatMap((text, at) => (text === '-B' ? [texts[at + 1] ?? null] : text.startsWith('-B') ? [text.slice(2)] : []))
        : null
    case 'switch':
      return given.has('C', 'force-create')
        ? texts.flatMap((text, at) => (/^(?:-C|--force-create)$/.test(text) ? [texts[at + 1] ?? null] : /^-C./.test(text) ? [text.slice(2)] : []))
        : null
    case 'reflog':
      return /^(?:expire|delete)$/.test(texts[0] ?? '') ? [currentBranch] : null
    case 'gc':
    case 'prune':
      return verb === 'prune' || texts.some((text) => text.startsWith('--prune')) ? [currentBranch] : null
    case 'fetch':
    case 'pull':
      return texts.some((text) => /^\+|^[\w/*-]+:[\w/.-]+$/.test(text))
        ? [currentBranch, ...texts.flatMap((text) => /^\+?[\w/*-]+:([\w/.-]+)$/.exec(text)?.[1] ?? [])]
        : null
    default:
      return null
  }
}

/** Stands for the branch that is checked out. */
const currentBranch = '\0'
