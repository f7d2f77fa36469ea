import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentName } from '../../shared/session.js'
import { recordFilesOf } from './record-files.js'

/** The files that count for a session, in a folder that holds just these. */
async function counting(agent: AgentName, id: string, log: string, files: Readonly<Record<string, string>> = {}): Promise<readonly string[] | null> {
  const root = mkdtempSync(join(tmpdir(), 'overturn-files-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, text] of Object.entries({ [log]: '{}\n', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const found = await recordFilesOf({ agent, id, file: join(root, log) })
  return found && found.map((file) => relative(root, file)).sort()
}

describe('the files of a session', () => {
  it('are its log and those of its subagents', async () => {
    expect([
      await counting('qwen-code', 's/1', 'p/chats/s1.jsonl', { 'p/subagents/s_1/agent-a.jsonl': '', 'p/subagents/s2/agent-b.jsonl': '', 'p/chats/s2.jsonl': '' }),
      await counting('qwen-code', 's1', 'p/chats/archive/s1.jsonl', { 'p/subagents/s1/agent-a.jsonl': '' }),
      await counting('claude-code', 's1', 'p/s1.jsonl', { 'p/s1/subagents/agent-a.jsonl': '', 'p/agent-b.jsonl': '', 'p/s2.jsonl': '' }),
      await counting('codex', 's1', 'rollout.jsonl'),
    ]).toEqual([
      ['p/chats/s1.jsonl', 'p/subagents/s_1/agent-a.jsonl'],
      ['p/chats/archive/s1.jsonl', 'p/subagents/s1/agent-a.jsonl'],
      ['p/agent-b.jsonl', 'p/s1.jsonl', 'p/s1/subagents/agent-a.jsonl'],
      ['rollout.jsonl'],
    ])
  })

  it('are not to be told for documents, databases and chains', async () => {
    expect([
      await counting('gemini-cli', 's1', 'session-1.json'),
      await counting('gemini-cli', 's1', 'session-1.jsonl'),
      await counting('opencode', 's1', 'opencode.db'),
      await counting('codex', 's1', 'rollout.jsonl', { 'rollout.jsonl': '{"type":"session_meta","payload":{"history_base":{}}}\n' }),
    ]).toEqual([null, null, null, null])
  })
})
