import { z } from 'zod'
import { listDirectory as listFolder, type ListedEntry } from './list.js'
import { done, tool } from './tool.js'
import { inWorkspace } from './workspace-path.js'

export const listDirectory = tool({
  name: 'list_directory',
  title: 'List a folder',
  description: 'Lists the entries of a folder in the workspace, folders with / after the name, links with their target, files with their size. At most 2,000.',
  effect: 'reads',
  params: z.object({ path: z.string().max(4096).default('.').describe('Folder, relative to the workspace; "." is the workspace itself') }),
  result: {
    path: z.string(),
    entries: z.array(z.object({ name: z.string(), kind: z.string(), size_bytes: z.number().nullable(), target: z.string().nullable() })),
    total: z.number(),
    is_cut: z.boolean(),
  },
  run: async ({ path }, session, call) => {
    const name = inWorkspace(session.workspace, path)
    const absolute = name === '' ? session.workspace.root : session.workspace.resolveInside(name).absolute
    const { ownData } = session
    const isOwn = (entry: string): boolean => (name === '' ? entry : `${name}/${entry}`) === ownData
    const listing = await listFolder({ absolute }, name === '' ? 'the workspace' : name, call.signal, isOwn)
    const text = listing.entries.length === 0 ? '[The folder is empty.]' : listing.entries.map(line).join('\n')
    return done(listing.cutWhy === null ? text : `${text}\n[${listing.cutWhy}]`, {
      path: name === '' ? '.' : name,
      entries: listing.entries.map(({ name: entry, kind, sizeBytes, target }) => ({ name: entry, kind, size_bytes: sizeBytes, target })),
      total: listing.totalCount,
      is_cut: listing.isCut,
      ...(listing.cutWhy === null ? {} : { notes: [listing.cutWhy] }),
    })
  },
})

function line({ name, kind, sizeBytes, target }: ListedEntry): string {
  if (kind === 'folder') return `${name}/`
  if (kind === 'link') return `${name} -> ${target ?? '?'}`
  return sizeBytes === null ? `${name} (${kind})` : `${name}  ${sizeBytes} bytes`
}
