import { closeSync, openSync, read } from 'node:fs'
import { promisify } from 'node:util'
import { isMissing } from '../base/disk-errors.js'

const readLater = promisify(read)
const chunkBytes = 1 << 20
/** How far into a line its subtype may stand; before it are the working folder and the branch. */
const headBytes = 16_384

/**
 * Visits the records of a session log whose subtype is one of these, in order and without holding the log: lines of other kinds
 * are not parsed. A line that is no JSON is counted and skipped where its head does not show another kind; a torn last line and
 * a missing log count for nothing.
 */
export async function eachRecord(file: string, subtypes: readonly string[], visit: (record: unknown) => void): Promise<{ readonly badLines: number }> {
  const marks = subtypes.map((subtype) => Buffer.from(`"subtype":"${subtype}"`))
  let badLines = 0
  await eachLine(file, (line) => {
    const head = line.subarray(0, headBytes)
    if (!marks.some((mark) => head.includes(mark)) && isWhole(line)) return
    try {
      visit(JSON.parse(line.toString('utf8')))
    } catch {
      badLines++
    }
  })
  return { badLines }
}

/**
 * Calls `visit` for each line that ends, or with `isRestWanted` for a last one too that does not; the buffer is only good during the
 * call. Empty lines are left out, and a missing log has none.
 */
export async function eachLine(file: string, visit: (line: Buffer) => void, isRestWanted = false): Promise<void> {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (thrown) {
    if (isMissing(thrown)) return
    throw thrown
  }
  try {
    const chunk = Buffer.alloc(chunkBytes)
    let rest: Buffer[] = []
    for (;;) {
      const { bytesRead } = await readLater(handle, chunk, 0, chunkBytes, null)
      if (bytesRead === 0) {
        if (isRestWanted && rest.length > 0) visit(Buffer.concat(rest))
        return
      }
      const part = chunk.subarray(0, bytesRead)
      let from = 0
      // Split at byte 10 only: JSON strings may hold U+2028, at which line readers split too.
      for (let end = part.indexOf(10); end >= 0; end = part.indexOf(10, from)) {
        const piece = part.subarray(from, end)
        from = end + 1
        const line = rest.length === 0 ? piece : Buffer.concat([...rest, piece])
        rest = []
        if (line.length > 0) visit(line)
      }
      if (from < bytesRead) rest.push(Buffer.from(part.subarray(from)))
    }
  } finally {
    closeSync(handle)
  }
}

/** Whether a line looks like a whole record: a cut or torn one may have lost what would tell its kind. */
function isWhole(line: Buffer): boolean {
  return line[0] === 123 && line[line.length - 1] === 125
}
