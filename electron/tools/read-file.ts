import { isAbsolute } from 'node:path'
import { realpathSync } from 'node:fs'
import { z } from 'zod'
import { ReviewError } from '../../shared/errors.js'
import { workspacePath } from '../../shared/ids.js'
import { isMissing } from '../base/disk-errors.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import type { Workspace } from '../workspace/workspace.js'
import { proposeRead } from './propose-read.js'
import { readFileForAgent, type LineRange } from './read.js'
import { done, refused, tool } from './tool.js'
import type { ToolSession } from './tool-session.js'
import { inWorkspace } from './workspace-path.js'

export const readFile = tool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Reads a text file: absolute path, or relative to the workspace. One outside the workspace may have to be approved by a person. The encoding is recognised. Long files are cut, and the answer says where; ask for further lines with from_line and line_count. Binary and very large files are named as that.',
  effect: 'reads',
  params: z.object({
    path: z.string().min(1).max(4096).describe('Absolute, or relative to the workspace'),
    from_line: z.number().int().min(1).optional().describe('First line to read, from 1'),
    line_count: z.number().int().min(1).max(100_000).optional().describe('How many lines'),
  }),
  result: {
    kind: z.enum(['text', 'binary', 'oversized', 'link', 'folder']),
    path: z.string(),
    text: z.string(),
    encoding: z.string(),
    line_ends: z.string(),
    from_line: z.number(),
    to_line: z.number(),
    total_lines: z.number().nullable(),
    is_cut: z.boolean(),
    size_bytes: z.number(),
    sha256: z.string(),
    target: z.string(),
  },
  run: async ({ path, from_line: fromLine, line_count: lineCount }, session, call) => {
    const range = fromLine === undefined && lineCount === undefined ? null : { fromLine: fromLine ?? 1, lineCount: lineCount ?? 2_000 }
    const { absolute, name, inside } = placeOf(session, path)
    const show = (signal: AbortSignal): Promise<ToolAnswer> => shown(session, { absolute, name, inside }, range, signal)
    if (inside !== null) return show(call.signal)
    return proposeRead(session, call, absolute, JSON.stringify(range), async (signal) => {
      // A link may have taken the place of a folder while a person decided.
      if (real(absolute) !== absolute) throw new ReviewError('FILE_CHANGED_SINCE_READ', `${name} leads elsewhere now, so it was not read. Ask again.`)
      return show(signal)
    })
  },
})

interface FilePlace {
  readonly absolute: string
  readonly name: string
  /** Path in the workspace; `null` outside. Only such a path is remembered as seen. */
  readonly inside: string | null
}

async function shown(session: ToolSession, { absolute, name, inside }: FilePlace, range: LineRange | null, signal: AbortSignal): Promise<ToolAnswer> {
  const read = await readFileForAgent({ absolute }, name, range, signal)
  switch (read.kind) {
    case 'text': {
      if (inside !== null) session.seen.set(workspacePath(inside), read.sha256)
      const cut = read.isCut && read.cutWhy ? `\n[${read.cutWhy}]` : ''
      const empty = read.sizeBytes === 0 ? '[The file is empty.]' : ''
      return done(`${read.text}${empty}${cut}`, {
        kind: 'text', path: name, text: read.text, encoding: read.encoding, line_ends: read.lineEnds, from_line: read.fromLine,
        to_line: read.toLine, total_lines: read.totalLines, is_cut: read.isCut, size_bytes: read.sizeBytes, sha256: read.sha256,
        ...(read.cutWhy === null ? {} : { notes: [read.cutWhy] }),
      })
    }
    case 'binary': {
      if (inside !== null) session.seen.set(workspacePath(inside), read.sha256)
      const type = read.typeGuess === null ? '' : ` It looks like ${read.typeGuess}.`
      return done(`${name} is binary, ${read.sizeBytes} bytes.${type} It has no text to show.`, { kind: 'binary', path: name, size_bytes: read.sizeBytes, sha256: read.sha256 })
    }
    case 'oversized':
      return done(`${name} is ${read.sizeBytes} bytes, too large to read. Search in it, or read it with a command.`, { kind: 'oversized', path: name, size_bytes: read.sizeBytes })
    case 'link':
      return done(`${name} is a link to ${read.target}. Read that instead.`, { kind: 'link', path: name, target: read.target })
    case 'folder':
      return refused('FILE_UNREADABLE', `${name} is a folder. Use list_directory.`)
  }
}

/** The file that an agent names. */
function placeOf({ workspace, assertReadable }: ToolSession, path: string): FilePlace {
  const inside = nameInside(workspace, path)
  if (inside === null) {
    const absolute = real(path)
    assertReadable(absolute)
    return { absolute, name: path, inside: null }
  }
  if (inside === '') throw new ReviewError('FILE_UNREADABLE', 'This is the workspace folder. Use list_directory.')
  return { absolute: workspace.resolveInside(inside).absolute, name: inside, inside }
}

/** `null` for an absolute path outside. Errors: OUTSIDE_WORKSPACE for a relative one. */
function nameInside(workspace: Workspace, path: string): string | null {
  try {
    return inWorkspace(workspace, path)
  } catch (thrown) {
    if (isAbsolute(path)) return null
    throw thrown
  }
}

/** A path outside with links resolved, so that what is classified is what is read. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch (thrown) {
    if (isMissing(thrown)) return path
    throw thrown
  }
}
