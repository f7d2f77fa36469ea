import { addUsage, type Usage } from '../../shared/usage.js'
import { objectAt, textAt, type JsonObject } from './json-values.js'
import { subagentSessionOf } from './opencode-calls.js'
import type { OpencodeRecords } from './opencode-records.js'
import type { OpencodeTurn } from './opencode-turns.js'
import { costAt, inputWithCache, tokensAt, usageFrom } from './usage-values.js'

/** What one message says that it took; `null` for one of a person. */
export function usageOfMessage(message: JsonObject | null): Usage | null {
  if (textAt(message, 'role') !== 'assistant') return null
  const tokens = objectAt(message, 'tokens')
  const cache = objectAt(tokens, 'cache')
  const read = tokensAt(cache, 'read')
  return usageFrom({
    input: inputWithCache(tokensAt(tokens, 'input'), read, tokensAt(cache, 'write')),
    cached: read,
    output: tokensAt(tokens, 'output'),
    total: tokensAt(tokens, 'total'),
    cost: costAt(message, 'cost'),
  })
}

/** What the subagents of a session took, each once, those of subagents too. */
export async function usageOfSubagents(records: OpencodeRecords, sessionId: string, counted = new Set([sessionId])): Promise<Usage | null> {
  let sum: Usage | null = null
  for await (const { id } of records.children(sessionId)) sum = addUsage(sum, await usageOfSubagent(records, id, counted))
  return sum
}

/** What a turn took, with the sessions that its calls started. */
export async function usageOfTurn(records: OpencodeRecords, sessionId: string, { usage, messageIds, removed }: OpencodeTurn): Promise<Usage | null> {
  const counted = new Set([sessionId])
  let sum = usage
  const addCall = async (part: JsonObject | null): Promise<void> => {
    const id = part && textAt(part, 'type') === 'tool' ? subagentSessionOf(part) : null
    if (id !== null) sum = addUsage(sum, await usageOfSubagent(records, id, counted))
  }
  for (const messageId of messageIds) for await (const { data } of records.parts(messageId)) await addCall(data)
  for (const { parts } of removed) for (const { data } of parts) await addCall(data)
  return sum
}

async function usageOfSubagent(records: OpencodeRecords, id: string, counted: Set<string>): Promise<Usage | null> {
  if (counted.has(id)) return null
  counted.add(id)
  let sum: Usage | null = null
  for await (const { data } of records.messages(id)) sum = addUsage(sum, usageOfMessage(data))
  return addUsage(sum, await usageOfSubagents(records, id, counted))
}
