import { applyPatch } from './apply-patch.js'
import { editFile } from './edit-file.js'
import { execTools } from './exec-tools.js'
import { listDirectory } from './list-directory.js'
import { readFile } from './read-file.js'
import { runCommand } from './run-command.js'
import { searchFiles } from './search-files.js'
import { awaitReview, beginTurn, submitPlan } from './session-tools.js'
import type { Tool } from './tool.js'
import { writeFile } from './write-file.js'

/** Every tool, in the order in which agents are told of them. */
export const tools: readonly Tool[] = [
  beginTurn,
  readFile,
  writeFile,
  editFile,
  applyPatch,
  listDirectory,
  searchFiles,
  runCommand,
  awaitReview,
  submitPlan,
  ...execTools,
]
