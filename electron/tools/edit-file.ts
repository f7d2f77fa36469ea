import { z } from 'zod'
import { ReviewError } from '../../shared/errors.js'
import { replaceAnchor } from '../edits/anchor-edit.js'
import { editResult } from './edit-result.js'
import { findFile, plannedText } from './edit-plan.js'
import { proposeEdit } from './propose-edit.js'
import { tool } from './tool.js'
import { inWorkspace } from './workspace-path.js'

export const editFile = tool({
  name: 'edit_file',
  title: 'Edit a file',
  description:
    'Replaces one piece of text in a file of the workspace. old_text must occur exactly once, so give enough lines around it; blanks count. LF in old_text matches CRLF in the file. Nothing is a pattern: $ and backslashes are literal. The answer holds the diff of what was written; a person may have changed it.',
  effect: 'writes',
  params: z.object({
    path: z.string().min(1).max(4096).describe('Path of the file, relative to the workspace'),
    old_text: z.string().max(16_000_000).describe('The exact text to replace, with enough context to occur once'),
    new_text: z.string().max(16_000_000).describe('The text to put in its place'),
  }),
  result: editResult,
  run: ({ path, old_text: oldText, new_text: newText }, session, call) => {
    const name = inWorkspace(session.workspace, path)
    return proposeEdit(session, call, {
      what: `The edit of ${name}`,
      cause: 'edit',
      say: null,
      plan: async (signal) => {
        const found = await findFile(session, name, signal)
        if (found.seen.state.kind === 'absent') throw new ReviewError('FILE_NOT_FOUND', `There is no file ${name}. List its folder, or make it with write_file.`)
        if (!found.text) throw new ReviewError('FILE_BINARY', `${name} is binary and has no text to edit. Nothing was written.`)
        const edit = replaceAnchor(found.text.text, oldText, newText)
        if (edit.kind === 'refused') throw new ReviewError(edit.code, edit.message, { details: { count: edit.count } })
        return { files: [plannedText(found, edit.text)], sed: null }
      },
    })
  },
})
