import { recognise, type RecognisedSed } from '../edits/sed-command.js'
import { readShellWords } from '../edits/shell-words.js'

/**
 * The `sed -i` that a recorded command is, where it does the same on every machine on which it can have ended well; else `null`.
 * `folder` is where the session ran.
 */
export function recordedSed(command: string, folder: string): RecognisedSed | null {
  const parsed = recognise(command)
  if (!parsed.simulated) return null
  const isOther = parsed.isMacForm ? usesGroups(parsed) : !isOfLinux(folder) && isOtherOnMac(command)
  return isOther ? null : parsed
}

/** What a group holds where it could hold several things differs from one library to the other. */
function usesGroups(parsed: RecognisedSed): boolean {
  return [parsed, ...parsed.followedBy].some(({ replacement }) => /\\[1-9]/.test(replacement))
}

function isOfLinux(folder: string): boolean {
  return /^\/(home|root)(\/|$)/.test(folder)
}

/**
 * Whether the sed of macOS does something else without failing: it takes the word behind `-i` for a suffix, so that an option there
 * is lost. A script there leaves it without a file, and it fails.
 */
function isOtherOnMac(command: string): boolean {
  const words = readShellWords(command).map((word) => word.text)
  return words.some((word, at) => /^-[Er]*i$/.test(word) && words[at + 1]?.startsWith('-'))
}
