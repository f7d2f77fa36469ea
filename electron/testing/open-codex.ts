import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../base/log.js'
import { openCodexSession } from '../sessions/codex.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import type { OpenOptions } from '../sessions/session-reader.js'

/** Opens a log of Codex that nobody follows; `more` says what is otherwise. */
export function openCodex(file: string, more: Partial<OpenOptions> = {}): Promise<RecordedSession> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'overturn-data-'))
  return openCodexSession({ file, agent: 'codex', indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home: dataFolder, dataFolder, ...more })
}

/** Puts the repository of a recording, as it was at the end of the session, into a folder. */
export function addRepository(recording: string, folder: string): void {
  cpSync(join(recording, 'project-dot-git'), join(folder, '.git'), { recursive: true })
}
