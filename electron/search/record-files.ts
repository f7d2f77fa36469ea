import { open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SessionSummary } from '../../shared/session.js'

/** So much of a log of Codex holds its first record, which names the file that it goes on from. */
const firstRecordBytes = 256 * 1024
const goesOnFrom = Buffer.from('"history_base"')

/**
 * All files that the records of a session stand in: its log, and what lies beside it for its subagents. `null` where these files do not
 * show the texts as they are, so that only the opened session can tell: a database, a document, a chain of files.
 */
export async function recordFilesOf({ agent, file, id }: Pick<SessionSummary, 'agent' | 'file' | 'id'>): Promise<readonly string[] | null> {
  if (!file.endsWith('.jsonl')) return null
  const folder = dirname(file)
  switch (agent) {
    case 'qwen-code':
    case 'overturn': {
      const project = dirname(basename(folder) === 'archive' ? dirname(folder) : folder)
      return [file, ...(await filesIn(join(project, 'subagents', plainName(id))))]
    }
    case 'claude-code':
      // Older versions keep the logs of subagents beside those of sessions.
      return [file, ...(await filesIn(join(folder, plainName(id)))), ...(await filesIn(folder, 'agent-'))]
    case 'codex':
      return (await begins(file, goesOnFrom)) ? null : [file]
    case 'gemini-cli':
    case 'opencode':
      return null
  }
}

async function filesIn(folder: string, beginning: string | null = null): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: beginning === null }).catch(() => [])
  return entries.flatMap((entry) => (entry.isFile() && entry.name.startsWith(beginning ?? '') ? [join(entry.parentPath, entry.name)] : []))
}

async function begins(file: string, mark: Buffer): Promise<boolean> {
  const handle = await open(file, 'r').catch(() => null)
  if (!handle) return true
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(firstRecordBytes), 0, firstRecordBytes, 0)
    return buffer.subarray(0, bytesRead).includes(mark)
  } finally {
    await handle.close()
  }
}

/** An id as part of a path: whatever could lead elsewhere becomes a line. */
function plainName(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_')
}
