import { readFileSync, statSync } from 'node:fs'
import { ReviewError } from '../../shared/errors.js'
import { decodeText, displayLimitBytes } from '../workspace/text-decoding.js'
import { binaryNote, unreadableNote, type FoundMatches, type SearchResult } from './found-matches.js'
import { cutAround, maxTextLength } from './match-records.js'
import type { SearchRequest } from './search.js'
import { walkFiles, type WalkedFile } from './walk-files.js'

/** Without the search program: reads all files here. Plain text only, since a regular expression could keep this process busy for good. */
export async function searchByReading(root: string, request: SearchRequest, found: FoundMatches, signal: AbortSignal): Promise<SearchResult> {
  if (request.isRegex) {
    throw new ReviewError('TOOL_FAILED', 'Regular expressions cannot be searched for, because the search program for this platform is not installed. Search for plain text.')
  }
  const wanted = new RegExp(request.pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), request.isCaseSensitive ? 'u' : 'iu')
  let filesSearched = 0
  let unreadableFiles = 0
  const visit = (file: WalkedFile): boolean => {
    if (file.isLink) return true
    filesSearched++
    const text = textOf(file)
    if (text === null) unreadableFiles++
    const goesOn = text === null || addLines(file, text, wanted, found)
    found.handOn()
    return goesOn
  }
  const { unreadableCount } = await walkFiles(root, request.folder, request, visit, signal)
  const slowNote = 'The search program for this platform is not installed, so files were read one by one; those above 8 MiB were left out.'
  return found.result(filesSearched, [slowNote, binaryNote, ...unreadableNote(unreadableFiles, 'file'), ...unreadableNote(unreadableCount, 'folder')])
}

/** `''` for a binary or large file, `null` for one that cannot be read. */
function textOf(file: WalkedFile): string | null {
  try {
    const place = file.absolute()
    if (statSync(place).size > displayLimitBytes) return ''
    const decoded = decodeText(readFileSync(place))
    return decoded.kind === 'text' ? decoded.text : ''
  } catch {
    return null
  }
}

function addLines({ folder, name, isNameLossy }: WalkedFile, text: string, wanted: RegExp, found: FoundMatches): boolean {
  if (!wanted.test(text)) return true
  for (const [at, whole] of text.split('\n').entries()) {
    const place = wanted.exec(whole)
    if (!place) continue
    const line = whole.replace(/\r$/, '')
    const isTextCut = line.length > maxTextLength
    const shown = isTextCut ? cutAround(line.slice(0, place.index), line.slice(place.index)) : line
    const column = Array.from(whole.slice(0, place.index)).length + 1
    if (!found.add({ path: folder + name, isPathLossy: isNameLossy, line: at + 1, column, text: shown, isTextCut })) return false
  }
  return true
}
