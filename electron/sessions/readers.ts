import { basename } from 'node:path'
import type { LogFile } from './log-files.js'
import { claudeReader } from './claude-code.js'
import { codexReader } from './codex.js'
import { geminiReader } from './gemini-cli.js'
import { opencodeReader } from './opencode.js'
import { qwenReader } from './qwen-code.js'
import type { LogFormat } from './record-sniff.js'
import type { OtherLogs, SessionReader } from './session-reader.js'

/** The agents whose sessions can be opened. */
export const readers: readonly SessionReader[] = [qwenReader, geminiReader, opencodeReader, claudeReader, codexReader]

/** The reader of a format; `null` for one that is only recognised. */
export function readerOf(format: LogFormat | null): SessionReader | null {
  return readers.find((reader) => reader.format === format) ?? null
}

/** The reader of a log that is no `*.jsonl` told by its first records; `null` for one that is. */
export function otherReaderOf(file: string): { readonly reader: SessionReader; readonly others: OtherLogs } | null {
  const name = basename(file).replace(/#[^#]*$/, '')
  for (const reader of readers) if (reader.others?.isLog(name)) return { reader, others: reader.others }
  return null
}

/** Whether a file of this name may hold sessions of some agent. */
export function isLogName(name: string): boolean {
  return name.endsWith('.jsonl') || otherReaderOf(name) !== null
}

/** Each session of the files that were found as a log of its own. */
export async function sessionsInFiles(found: readonly LogFile[]): Promise<readonly LogFile[]> {
  const logs: LogFile[] = []
  for (const log of found) {
    const sessions = await otherReaderOf(log.file)?.others.sessionsIn(log)
    if (sessions) logs.push(...sessions)
    else logs.push(log)
  }
  return logs
}
