import { posix } from 'node:path'
import { callStatus, type CallDraft } from './codex-drafts.js'
import type { FileEdit } from './codex-fields.js'
import { parsePatch, patchInCommand, type PatchChunk } from './codex-patch.js'
import { textAt } from './json-values.js'

/** What a call did to one file, or asked for. `chunks` come from a patch's own text, where no record tells a diff. */
export type CodexEdit = FileEdit | { readonly kind: 'patch'; readonly path: string; readonly moveTo: string | null; readonly chunks: readonly PatchChunk[] }

/**
 * What a call did to files: by the record of what was done, else by the patch that it asked for.
 * Returns: `null` for a call that is no patch, or whose patch cannot be read.
 */
export function editsOf(draft: CallDraft): readonly CodexEdit[] | null {
  if (draft.edits) return draft.edits
  const asked = askedPatch(draft)
  const parts = asked && parsePatch(asked.patch)
  if (!parts) return null
  const place = (path: string): string => (asked.folder === null || isAbsolute(path) ? path : posix.join(asked.folder, path))
  return parts.map((part): CodexEdit => {
    const path = place(part.path)
    switch (part.kind) {
      case 'add':
        return { kind: 'add', path, content: part.content }
      case 'delete':
        return { kind: 'delete', path, content: null }
      case 'update':
        return { kind: 'patch', path, moveTo: part.moveTo === null ? null : place(part.moveTo), chunks: part.chunks }
    }
  })
}

/** The patch text that a call holds, and the folder that its paths are relative to; `null` for the session's. */
export function askedPatch(draft: CallDraft): { readonly patch: string; readonly folder: string | null } | null {
  const { args, command, name } = draft
  const own = command?.directory ?? null
  const words = args['command']
  const [program, argument, ...more]: readonly unknown[] = Array.isArray(words) ? words : []
  if ((program === 'apply_patch' || program === 'applypatch') && typeof argument === 'string' && more.length === 0) return { patch: argument, folder: own }
  if (command) {
    const found = patchInCommand(command.text)
    if (!found || found.folder === null || own === null) return found && { patch: found.patch, folder: found.folder ?? own }
    return { patch: found.patch, folder: isAbsolute(found.folder) ? found.folder : posix.join(own, found.folder) }
  }
  if (name !== 'apply_patch') return null
  const patch = textAt(args, 'input') ?? textAt(args, 'patch') ?? textAt(args, 'arguments')
  return patch === null ? null : { patch, folder: null }
}

/** Whether the patch of a call was carried out, was not, or may have been in part. */
export function patchOutcome(draft: CallDraft, isOpen: boolean): 'done' | 'none' | 'partly' {
  const said = `${draft.given?.text ?? ''}\n${draft.shown ?? ''}`
  switch (callStatus(draft, isOpen)) {
    case 'done':
      // Without a record of the changes the text must say that it was done.
      return draft.isSureOfEdits || /^Success\. Updated the following files:/m.test(said) ? 'done' : 'partly'
    case 'refused':
      return 'none'
    case 'failed':
      return /apply_patch verification failed|patch rejected|invalid patch/i.test(said) ? 'none' : 'partly'
    case 'running':
      return 'partly'
  }
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)
}
