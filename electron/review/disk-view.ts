import { ReviewError } from '../../shared/errors.js'
import type { UnknownReason } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import type { DiskStates } from '../workspace/disk-states.js'
import { hardLimitBytes } from '../workspace/text-decoding.js'
import { readBytes, stateAt } from '../workspace/text-files.js'
import type { Place, Workspace } from '../workspace/workspace.js'
import type { DiskView } from './contents.js'
import { absent, isKnown, link, ofBytes, unknown, withoutText, type Held } from './held.js'

/** What lies inside the folder all the same: a pipe, or a folder that may not be looked into. */
const unreadableWhy: ReadonlySet<unknown> = new Set(['device', 'unreadable'])

/** The files of a workspace as contents that can be weighed against records. */
export function createDiskView(workspace: Workspace, states: DiskStates): DiskView {
  /** The place of a path, or why it has none. */
  const find = (path: WorkspacePath): Place | UnknownReason => {
    try {
      return workspace.resolveInside(path)
    } catch (thrown) {
      if (!(thrown instanceof ReviewError) || thrown.code !== 'OUTSIDE_WORKSPACE') throw thrown
      return unreadableWhy.has(thrown.details['why']) ? 'unreadable' : 'outside-workspace'
    }
  }
  const placeOf = (path: WorkspacePath): Place | null => {
    const found = find(path)
    return typeof found === 'string' ? null : found
  }

  const read = async (path: WorkspacePath, signal?: AbortSignal): Promise<Uint8Array> => {
    const place = placeOf(path)
    if (!place) throw new ReviewError('OUTSIDE_WORKSPACE', 'The file lies outside the workspace.')
    return (await readBytes(place, path, hardLimitBytes, signal)).bytes
  }

  const look = async (path: WorkspacePath, signal?: AbortSignal): Promise<Held> => {
    const place = find(path)
    if (typeof place === 'string') return unknown(place)
    const { state } = await states.look(place, signal)
    switch (state.kind) {
      case 'file':
        return withoutText(state, (inner) => read(path, inner))
      case 'absent':
        return absent('disk')
      case 'link':
        return link(state.target, 'disk')
      case 'folder':
        return { ...absent('disk'), content: { ...absent('disk').content, state } }
      case 'unknown':
        return unknown(state.reason)
    }
  }

  return {
    look,
    lookInto: async (path, signal) => {
      const seen = await look(path, signal)
      if (!isKnown(seen) || seen.content.state.kind !== 'file') return seen
      try {
        return ofBytes(await read(path, signal), seen.content.state.mode, 'disk', (inner) => read(path, inner))
      } catch (thrown) {
        if (thrown instanceof ReviewError && thrown.code !== 'CANCELLED') return unknown('unreadable')
        throw thrown
      }
    },
    linkAt: async (path) => {
      const place = placeOf(path)
      const state = place?.stats?.isSymbolicLink() ? await stateAt(place) : null
      return state?.kind === 'link' ? state.target : null
    },
    writtenAt: (path) => {
      const stats = placeOf(path)?.stats
      return stats?.isFile() ? stats.mtimeMs : null
    },
  }
}
