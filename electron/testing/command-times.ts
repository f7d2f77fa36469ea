import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { parseObject } from '../sessions/json-values.js'

interface Call {
  readonly command: string
  readonly endedAt: number
}

/** The commands of a recorded log of Claude Code or Gemini CLI, with the times at which they ended. */
function commandsOf(log: string): readonly Call[] {
  const asked = new Map<string, string>()
  const calls: Call[] = []
  for (const line of readFileSync(log, 'utf8').split('\n').filter(Boolean)) {
    const record = parseObject(line)
    if (!record) continue
    const blocks = (record['message'] as { content?: unknown } | undefined)?.content
    for (const block of Array.isArray(blocks) ? (blocks as readonly Record<string, unknown>[]) : []) {
      const command = (block['input'] as { command?: string } | undefined)?.command
      if (block['type'] === 'tool_use' && command !== undefined) asked.set(String(block['id']), command)
      const known = asked.get(String(block['tool_use_id']))
      if (block['type'] === 'tool_result' && known !== undefined) calls.push({ command: known, endedAt: Date.parse(String(record['timestamp'])) })
    }
    for (const call of Array.isArray(record['toolCalls']) ? (record['toolCalls'] as readonly Record<string, unknown>[]) : []) {
      const command = (call['args'] as { command?: string } | undefined)?.command
      if (command !== undefined) calls.push({ command, endedAt: Date.parse(String(call['timestamp'])) })
    }
  }
  return calls
}

/** Gives the files that a log's commands name, of those at these paths, the times at which these commands wrote them. */
export function setCommandTimes(folder: string, log: string, paths: readonly string[]): void {
  for (const { command, endedAt } of commandsOf(log)) {
    if (/^(ls|cat|head|tail|false|true)\b/.test(command)) continue
    for (const path of paths) {
      const time = (endedAt - 5) / 1000
      if (command.includes(path) && existsSync(join(folder, path))) utimesSync(join(folder, path), time, time)
    }
  }
}
