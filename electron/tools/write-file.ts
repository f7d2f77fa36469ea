import { z } from 'zod'
import { ReviewError } from '../../shared/errors.js'
import { findFile, plannedText, withLineEnds } from './edit-plan.js'
import { proposeEdit } from './propose-edit.js'
import { editResult } from './edit-result.js'
import { tool } from './tool.js'
import { inWorkspace } from './workspace-path.js'

export const writeFile = tool({
  name: 'write_file',
  title: 'Write a file',
  description:
    'Writes a whole text file inside the workspace, new or existing. An existing file keeps its encoding, byte order mark, line ends and mode. A person may have to approve it first, and may change or shorten it: the answer says what was written.',
  effect: 'writes',
  params: z.object({
    path: z.string().min(1).max(4096).describe('Path of the file, relative to the workspace'),
    content: z.string().max(32_000_000).describe('The whole new text'),
  }),
  result: editResult,
  run: ({ path, content }, session, call) => {
    const name = inWorkspace(session.workspace, path)
    return proposeEdit(session, call, {
      what: `Writing ${name}`,
      cause: 'edit',
      say: null,
      plan: async (signal) => {
        const found = await findFile(session, name, signal)
        const { state } = found.seen
        const seen = session.seen.get(found.path)
        if (state.kind === 'file' && seen !== undefined && seen !== state.sha256) {
          throw new ReviewError('FILE_CHANGED_SINCE_READ', `${name} was changed by somebody else after you read it. Read it again, then write.`)
        }
        const text = content.startsWith('\ufeff') ? content.slice(1) : content
        const planned = plannedText(found, withLineEnds(found, text))
        const replacesBinary = state.kind === 'file' && !found.text
        return { files: [replacesBinary ? { ...planned, note: 'Replaces a binary file by a text.' } : planned], sed: null }
      },
    })
  },
})
