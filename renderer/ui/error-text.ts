import type { ErrorCode, ReviewError } from '../../shared/errors.js'

/** What a refusal is called in the window, and what the person can do about it. `retry`: trying again may help. */
export interface ErrorText {
  readonly title: string
  readonly advice: string
  readonly action: 'retry' | 'reload' | 'attach' | 'open-other' | 'none'
}

/**
 * What the window says of a refusal: what it is called, and the host's own words on this case, which end with what
 * to do. Where the host said nothing of its own, the advice of the table stands in.
 */
export function errorWords({ code, message }: ReviewError): { readonly title: string; readonly text: string } {
  const { title, advice } = errorTexts[code]
  const own = message.replace(title, '').trim()
  return { title, text: own === '' ? advice : own }
}

/** One sentence for each way in which a call can be refused; the compiler asks for each. */
export const errorTexts: Readonly<Record<ErrorCode, ErrorText>> = {
  AGENT_GONE: { title: 'The agent is gone.', advice: 'It ended or gave up before there was an answer. Nothing was written.', action: 'none' },
  ANCHOR_NOT_UNIQUE: { title: 'The old text is not there exactly once.', advice: 'Nothing was written. The agent was told where it looked.', action: 'none' },
  APPROVAL_NOT_WAITING: { title: 'This question does not wait any more.', advice: 'It was decided, or the agent gave up. Look at the list again.', action: 'retry' },
  APPROVAL_REJECTED: { title: 'The change was rejected.', advice: 'Nothing was written. The agent was told the reason.', action: 'none' },
  APPROVAL_UNANSWERED: { title: 'There was no answer in time.', advice: 'No answer is a refusal. Nothing was written.', action: 'none' },
  BACKUP_DAMAGED: { title: 'A backup is damaged.', advice: 'Its bytes are not the ones that were stored. The file is left as it is.', action: 'none' },
  BACKUP_MISSING: { title: 'A backup is not there any more.', advice: 'This file cannot be restored from it. Other files can.', action: 'none' },
  CANCELLED: { title: 'Cancelled.', advice: 'Nothing more was done.', action: 'none' },
  COMMAND_DENIED: { title: 'The policy does not allow this command.', advice: 'Nothing ran. The agent was told the reason.', action: 'none' },
  CONNECTION_LOST: { title: 'The connection to Overturn was lost.', advice: 'Look at the present state before you try again.', action: 'retry' },
  CONTENT_UNKNOWN: { title: 'This content is not known.', advice: 'The log does not hold enough to say what the file was then.', action: 'none' },
  DATA_FOLDER_UNWRITABLE: { title: 'The data folder cannot be written.', advice: 'Nothing was changed. Give it write permission, or name another one with OVERTURN_DATA_DIR.', action: 'retry' },
  DISK_FULL: { title: 'The disk is full.', advice: 'Free some space, then try again.', action: 'retry' },
  ENCODING_CANNOT: { title: "The text does not fit into the file's encoding.", advice: 'Nothing was written. Take those characters out, or convert the file first.', action: 'none' },
  FILE_BINARY: { title: 'The file is binary.', advice: 'It has no text to edit. It can be replaced or restored as a whole.', action: 'none' },
  FILE_CHANGED_SINCE_READ: { title: 'A file changed after you opened it.', advice: 'Nothing was written. Look again at what it is now.', action: 'retry' },
  FILE_EXISTS: { title: 'There is a file of this name already.', advice: 'Nothing was written. Choose another name, or change that file.', action: 'none' },
  FILE_NOT_FOUND: { title: 'The file is not there.', advice: 'It may have been moved or deleted.', action: 'retry' },
  FILE_OVERSIZED: { title: 'The file is too large to show.', advice: 'It can still be restored. Open it in another program to read it.', action: 'none' },
  FILE_UNREADABLE: { title: 'The file cannot be read.', advice: 'Check its permissions, then try again.', action: 'retry' },
  FOLDER_NOT_FOUND: { title: 'There is no such folder or file.', advice: 'Check the path, then try again.', action: 'none' },
  HOST_CANNOT: { title: 'This cannot be done from here.', advice: 'Type the path instead, or use the desktop window.', action: 'none' },
  HOST_NOT_RUNNING: { title: 'Overturn does not run.', advice: 'Start it, then try again.', action: 'retry' },
  HUNK_NOT_FOUND: { title: 'This change is not there any more.', advice: 'Look at the changes of the turn again.', action: 'retry' },
  INTERNAL: { title: 'Something failed inside Overturn.', advice: 'The log in the data folder has the cause.', action: 'retry' },
  INVALID_PARAMS: { title: 'The window asked for something that does not fit.', advice: 'Reload the window.', action: 'reload' },
  NOTHING_TO_REDO: { title: 'There is nothing to redo.', advice: 'No undo came before this.', action: 'none' },
  NOTHING_TO_UNDO: { title: 'There is nothing to undo.', advice: 'No rewind of this session is left to undo.', action: 'none' },
  NOT_ADMITTED: { title: 'This window is not admitted.', advice: 'Open the address that Overturn printed when it started.', action: 'reload' },
  NO_CHANGE: { title: 'This would change nothing.', advice: 'The old and the new text are the same.', action: 'none' },
  OUTSIDE_WORKSPACE: { title: 'The path lies outside the workspace.', advice: 'Overturn neither reads nor writes there.', action: 'none' },
  PATCH_MALFORMED: { title: 'The patch cannot be read.', advice: 'Nothing was written. The agent was told the line.', action: 'none' },
  PATCH_NOT_APPLICABLE: { title: 'The patch does not fit the files.', advice: 'Nothing was written. The agent was told which line differs.', action: 'none' },
  PERMISSION_DENIED: { title: 'The system does not allow it.', advice: 'Check the permissions of the file or folder, then try again.', action: 'retry' },
  PLAN_NOT_APPROVED: { title: 'The plan is not approved yet.', advice: 'In plan mode nothing is written before that.', action: 'none' },
  POLICY_FAILED: { title: 'The policy check failed.', advice: 'What cannot be checked is refused. The log in the data folder has the cause.', action: 'none' },
  POLICY_INVALID: { title: 'The policy file has a mistake.', advice: 'The last good settings stay in force. Mend the line that is named.', action: 'retry' },
  REWIND_CONFLICTS: { title: 'Some files have conflicts.', advice: 'Choose for each of them, or leave them out.', action: 'none' },
  REWIND_PLAN_STALE: { title: 'Files changed after the preview was made.', advice: 'Nothing was written. Look at the preview again.', action: 'retry' },
  REWIND_RUNNING: { title: 'Another rewind is running.', advice: 'Wait until it has ended, then try again.', action: 'retry' },
  SESSION_AMBIGUOUS: { title: 'More than one session has this name.', advice: 'Choose one from the list.', action: 'none' },
  SESSION_FORMAT_UNKNOWN: { title: 'This is no session log that Overturn can read.', advice: 'Choose another file or folder.', action: 'open-other' },
  SESSION_NOT_FOUND: { title: 'The session is not there any more.', advice: 'Its log may have been moved or deleted. Choose another one.', action: 'open-other' },
  SESSION_UNREADABLE: { title: 'The session log cannot be read.', advice: 'Check its permissions, then try again.', action: 'retry' },
  TAKE_BACK_CONFLICT: { title: 'This change cannot be taken back by itself.', advice: 'Later changes touch the same lines. Nothing was written.', action: 'none' },
  TOOL_FAILED: { title: 'The tool failed.', advice: 'The message says why.', action: 'none' },
  TURN_NOT_FOUND: { title: 'This turn is not in the session.', advice: 'The log may have changed. Look at the timeline again.', action: 'retry' },
  TURN_SET_ASIDE: { title: 'This turn was set aside.', advice: 'It can be read, but files cannot be rewound to it.', action: 'none' },
  UNKNOWN_METHOD: { title: 'The window and Overturn do not fit together.', advice: 'Reload the window.', action: 'reload' },
  UNKNOWN_TOOL: { title: 'There is no such tool.', advice: 'Ask for the list of tools again.', action: 'none' },
  WORKSPACE_MISSING: { title: 'The folder of this session is not here.', advice: 'Reading works. To rewind, attach the folder it belongs to.', action: 'attach' },
  WORKTREE_PROTECTED: { title: 'This branch is protected.', advice: 'Nothing was written. Start the session in a fresh worktree.', action: 'none' },
}
