import { z } from 'zod'
import { searchFiles as search } from './search.js'
import { done, tool } from './tool.js'
import { inWorkspace } from './workspace-path.js'

export const searchFiles = tool({
  name: 'search_files',
  title: 'Search files',
  description:
    'Finds files of the workspace by a glob on their names ("*.ts" at any depth, "src/**/x.ts" from the folder), or, with content_search, lines that hold a text or match a regular expression. Ignored files are left out unless ignored is true. Bounded; the answer says when there is more.',
  effect: 'reads',
  params: z.object({
    path: z.string().max(4096).default('.').describe('Folder to search in, relative to the workspace'),
    pattern: z.string().min(1).max(10_000).describe('Glob for names; text or regular expression for contents'),
    content_search: z.boolean().default(false).describe('Search the contents instead of the names'),
    regex: z.boolean().default(true).describe('For contents: the pattern is a regular expression (Rust syntax), not plain text'),
    case_sensitive: z.boolean().default(true),
    ignored: z.boolean().default(false).describe('Also look at files that ignore rules leave out'),
    max_matches: z.number().int().min(1).max(2_000).default(200),
  }),
  result: {
    matches: z.array(z.object({ path: z.string(), line: z.number().nullable(), column: z.number().nullable(), text: z.string().nullable() })),
    is_cut: z.boolean(),
    notes: z.array(z.string()),
  },
  run: async (params, session, call) => {
    const name = inWorkspace(session.workspace, params.path)
    const folder = name === '' ? session.workspace.root : session.workspace.resolveInside(name).absolute
    const request = {
      folder,
      pattern: params.pattern,
      contentSearch: params.content_search,
      isRegex: params.regex,
      isCaseSensitive: params.case_sensitive,
      respectIgnore: !params.ignored,
      includeHidden: true,
      leftOut: session.ownData,
      maxMatches: params.max_matches,
    }
    const found = await search(session.workspace.root, request, { signal: call.signal })
    const notes = [...(found.cutWhy === null ? [] : [found.cutWhy]), ...found.notes, ...found.binaryPaths.map((path) => `${path} is binary; its lines are not shown.`)]
    const lines = found.matches.map(({ path, line, text }) => (line === null ? path : `${path}:${line}:${text ?? ''}`))
    const text = lines.length === 0 ? '[No match.]' : lines.join('\n')
    return done([text, ...notes.map((note) => `[${note}]`)].join('\n'), {
      matches: found.matches.map(({ path, line, column, text: lineText }) => ({ path, line, column, text: lineText })),
      is_cut: found.isCut,
      notes,
    })
  },
})
