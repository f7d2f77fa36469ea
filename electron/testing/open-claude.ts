import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { silentLog } from '../base/log.js'
import { claudeReader } from '../sessions/claude-code.js'
import type { RecordedSession } from '../sessions/recorded-session.js'
import type { OpenOptions } from '../sessions/session-reader.js'
import type { ClaudeLog } from './claude-log.js'

/** Opens a log of Claude Code; the user's home is empty. */
export function openClaude(file: string, more: Partial<OpenOptions> = {}): Promise<RecordedSession> {
  const nowhere = join(tmpdir(), 'overturn-nowhere')
  return claudeReader.open({ file, agent: 'claude-code', indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home: nowhere, dataFolder: nowhere, ...more })
}

/** Writes a log into a store of its own, with backups by name; returns the log's path. */
export function writeClaudeStore(log: ClaudeLog, backups: Readonly<Record<string, string | Uint8Array>> = {}, root = mkdtempSync(join(tmpdir(), 'overturn-claude-'))): string {
  const base = join(root, '.claude')
  const file = join(base, 'projects', log.folder.replace(/[^A-Za-z0-9]/g, '-'), `${log.sessionId}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, log.text())
  for (const [name, content] of Object.entries(backups)) {
    const path = join(base, 'file-history', log.sessionId, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  return file
}
