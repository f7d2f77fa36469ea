import { relative, sep } from 'node:path'
import { ReviewError } from '../../shared/errors.js'
import { systemCode } from '../base/disk-errors.js'
import { lookAt } from '../workspace/look-at.js'
import { binaryNote, unreadableNote, type FoundMatches, type SearchMatch, type SearchResult } from './found-matches.js'
import { ignoreStart } from './ignore-chain.js'
import { MatchReader, type MatchRecord } from './match-records.js'
import { runRipgrep } from './ripgrep.js'
import type { SearchRequest } from './search.js'

/** `path NUL line:column:text`, and numbers at the end. JSON would bring each long line whole, with all matches in it. */
const output = ['--null', '--line-number', '--column', '--with-filename', '--no-heading', '--color=never', '--stats']
const warning = /^((?:.|\n)*?): (?:WARNING: stopped searching binary file after match|binary file matches) \(found "\\0" byte around offset \d+\)\n/

/** Searches contents with ripgrep, and ends it at once when there are enough matches. */
export async function searchWithRipgrep(program: string, root: string, request: SearchRequest, found: FoundMatches, signal: AbortSignal): Promise<SearchResult> {
  const reader = new MatchReader((record) => found.add(matchOf(root, record, found.binaryPaths)))
  const end = await runRipgrep(
    program,
    ripgrepArguments(root, request, found.limit),
    root,
    (chunk) => {
      const goesOn = reader.read(chunk)
      found.handOn()
      return goesOn
    },
    signal,
  )
  if (end.exitCode === null) return found.result(null, [binaryNote])
  const rest = takeWarnings(root, reader.rest(), found.binaryPaths)
  const searched = /(\d+) files searched/.exec(rest)
  if (!searched) throw refusalOf(end.errors, request)
  const unreadable = end.errors.split('\n').filter((line) => line.startsWith('rg: ')).length
  return found.result(Number(searched[1]), [binaryNote, ...unreadableNote(unreadable, 'file')])
}

function ripgrepArguments(root: string, request: SearchRequest, limit: number): readonly string[] {
  const { isInGit } = ignoreStart(root, request.folder)
  const path = relative(root, request.folder).split(sep).join('/')
  return [
    ...output,
    '--no-ignore-global',
    '--iglob=!.git',
    ...(request.leftOut ? [`--glob=!/${request.leftOut.replace(/[*?[\]{}]/g, '[$&]')}`] : []),
    `--max-count=${limit + 1}`,
    request.isRegex ? '--engine=auto' : '--fixed-strings',
    request.isCaseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(request.includeHidden ? ['--hidden'] : []),
    ...(request.respectIgnore ? ignoreArguments(root, isInGit) : ['--no-ignore']),
    `--regexp=${request.pattern}`,
    '--',
    `./${path}`,
  ]
}

/** Outside a git repository the rules of the workspace count, but not those of the folders above it. */
function ignoreArguments(root: string, isInGit: boolean): readonly string[] {
  if (isInGit) return []
  const files = ['.gitignore', '.ignore', '.rgignore'].filter((name) => lookAt(root + sep + name)?.isFile())
  return ['--no-require-git', '--no-ignore-parent', ...files.map((name) => `--ignore-file=${name}`)]
}

function matchOf(root: string, record: MatchRecord, binaryPaths: Set<string>): SearchMatch {
  const printed = record.path.toString('utf8')
  const path = pathOf(takeWarnings(root, printed, binaryPaths))
  const isPathLossy = printed.includes('\ufffd') && !Buffer.from(printed).equals(record.path)
  const { line, column, text, isTextCut } = record
  return { path, isPathLossy, line, column, text, isTextCut }
}

/** Takes off the notes about binary files that stand before a path, unless a file is really called so. */
function takeWarnings(root: string, printed: string, binaryPaths: Set<string>): string {
  let rest = printed
  for (let found = warning.exec(rest); found && !isThere(root + sep + pathOf(rest)); found = warning.exec(rest)) {
    binaryPaths.add(pathOf(found[1] ?? ''))
    rest = rest.slice(found[0].length)
  }
  return rest
}

/** What is printed may be no path at all, and longer than any name. */
function isThere(path: string): boolean {
  try {
    return lookAt(path) !== null
  } catch (thrown) {
    if (systemCode(thrown) === 'ENAMETOOLONG') return false
    throw thrown
  }
}

function pathOf(printed: string): string {
  return (sep === '/' ? printed : printed.replaceAll(sep, '/')).replace(/^\.\//, '')
}

function refusalOf(errors: string, { isRegex }: SearchRequest): ReviewError {
  const lines = errors.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('~'))
  // Where two kinds of regular expression were tried, what the first says is what counts.
  const first = lines.indexOf('default regex engine error:') + 1
  const reason = (lines.find((line) => line.startsWith('error: ')) ?? lines.at(first) ?? 'no reason given').replace(/^(rg|error): /, '').replace(/[.:]?\s*$/, '')
  if (!isRegex) return new ReviewError('TOOL_FAILED', `The search failed: ${reason}. Search a smaller folder, or try again.`)
  return new ReviewError('INVALID_PARAMS', `The pattern is no regular expression that can be searched for: ${reason}. Correct it, or search for plain text.`, { details: { field: 'pattern' } })
}
