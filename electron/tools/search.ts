import { statSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { FoundMatches, unreadableNote, type SearchMatch, type SearchResult } from './found-matches.js'
import { compileGlob } from './glob.js'
import { ripgrepProgram } from './ripgrep.js'
import { searchByReading } from './search-by-reading.js'
import { searchWithRipgrep } from './search-with-ripgrep.js'
import { walkFiles, type WalkedFile } from './walk-files.js'

export type { SearchMatch, SearchResult } from './found-matches.js'

export interface SearchRequest {
  /** Real path of a folder or file; the workspace or inside it. */
  readonly folder: string
  readonly pattern: string
  /** Look into contents, line by line; else at the names of files. */
  readonly contentSearch: boolean
  /** For contents: a regular expression in Rust's syntax, else plain text. Names are always globs. */
  readonly isRegex: boolean
  readonly isCaseSensitive: boolean
  /** Leave out what `.gitignore`, `.ignore`, `.rgignore` and `.git/info/exclude` name. */
  readonly respectIgnore: boolean
  /** Look also at files and folders whose names begin with a dot; never at `.git`. */
  readonly includeHidden: boolean
  /** A folder that is not looked at, relative to the workspace; `null` for none. */
  readonly leftOut?: string | null
  readonly maxMatches?: number
}

export interface SearchWatch {
  readonly signal?: AbortSignal
  /** Called with each new batch as it is found, at most `maxMatches` in all, in no order. */
  readonly onMatches?: (matches: readonly SearchMatch[]) => void
  readonly timeLimitMs?: number
  /** The search program; `null` to do without. */
  readonly ripgrep?: string | null
}

export const defaultMaxMatches = 200
const defaultTimeLimitMs = 60_000
/** How long found names are gathered before they are handed on. */
const batchMs = 16
const maxPatternLength = 10_000

/**
 * Searches names or contents below a folder. Links are never followed; `.git` is never looked at.
 *
 * Names: a glob without `/` fits a file's name at any depth; one with `/` fits the whole path, from the workspace or from `folder`.
 * Contents: a line that fits is one match. Binary files are skipped. Files with a UTF-16 BOM are searched as text.
 * Errors: INVALID_PARAMS (a pattern that cannot be used, with the reason), FILE_NOT_FOUND, TOOL_FAILED, CANCELLED.
 */
export async function searchFiles(root: string, request: SearchRequest, watch: SearchWatch = {}): Promise<SearchResult> {
  throwIfAborted(watch.signal)
  checkPattern(request)
  const stats = statSync(request.folder, { throwIfNoEntry: false })
  if (!stats) throw new ReviewError('FILE_NOT_FOUND', 'The folder to search is not there. List the folder above to see what is.')
  if (!stats.isDirectory() && !request.contentSearch) {
    throw new ReviewError('INVALID_PARAMS', 'Names are searched in a folder, but this is a file. Name the folder it lies in.', { details: { field: 'path' } })
  }
  const found = new FoundMatches(request.maxMatches ?? defaultMaxMatches, watch.onMatches)
  const program = watch.ripgrep === undefined ? ripgrepProgram() : watch.ripgrep
  const timeLimitMs = watch.timeLimitMs ?? defaultTimeLimitMs
  const stop = new AbortController()
  const onAbort = (): void => stop.abort()
  watch.signal?.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => stop.abort(), timeLimitMs)
  try {
    if (!request.contentSearch) return await searchNames(root, request, found, stop.signal)
    if (program !== null) return await searchWithRipgrep(program, root, request, found, stop.signal)
    return await searchByReading(root, request, found, stop.signal)
  } catch (thrown) {
    if (watch.signal?.aborted || !stop.signal.aborted) throw thrown
    return found.result(null, [], `The search was stopped after ${timeLimitMs / 1000} seconds. Search a smaller folder or for something more exact.`)
  } finally {
    clearTimeout(timer)
    watch.signal?.removeEventListener('abort', onAbort)
  }
}

function checkPattern({ pattern, contentSearch }: SearchRequest): void {
  const problem =
    pattern === ''
      ? 'is empty. Say what to search for'
      : pattern.length > maxPatternLength
        ? `is longer than ${maxPatternLength.toLocaleString('en')} characters. Search for a part of it`
        : pattern.includes('\0')
          ? 'has a NUL character, which no name and no line of text has. Leave it out'
          : contentSearch && /[\n\r]/.test(pattern)
            ? 'has a line break, but lines are searched one by one. Search for one of the lines'
            : null
  if (problem !== null) throw new ReviewError('INVALID_PARAMS', `The pattern ${problem}.`, { details: { field: 'pattern' } })
}

async function searchNames(root: string, request: SearchRequest, found: FoundMatches, signal: AbortSignal): Promise<SearchResult> {
  const pattern = request.pattern.replace(/^(\.?\/)+/, '')
  const fits = compileGlob(pattern, { isCaseSensitive: request.isCaseSensitive, hasBraces: true })
  const isName = !pattern.includes('/')
  const start = slashed(relative(root, request.folder))
  const wants = (folder: string, name: string): boolean =>
    isName ? fits(name) : fits(folder + name) || (start !== '' && fits(folder.slice(start.length) + name))
  let lastHandOn = performance.now()
  const visit = ({ name, folder, isNameLossy }: WalkedFile): boolean => {
    const goesOn = found.add({ path: folder + name, isPathLossy: isNameLossy, line: null, column: null, text: null, isTextCut: false })
    if (performance.now() - lastHandOn > batchMs) {
      found.handOn()
      lastHandOn = performance.now()
    }
    return goesOn
  }
  const { fileCount, unreadableCount } = await walkFiles(root, request.folder, { ...request, wants }, visit, signal)
  return found.result(fileCount, unreadableNote(unreadableCount, 'folder'))
}

function slashed(path: string): string {
  return path === '' ? '' : `${path.split(sep).join('/')}/`
}
