import { numberAt, objectAt, objectsAt, textAt, type JsonObject } from './json-values.js'
import type { StoredMessage } from './opencode-records.js'

/** Types of messages that tell what the program did beside the talk. */
const beside: ReadonlySet<string> = new Set(['agent-switched', 'model-switched', 'system', 'synthetic', 'skill', 'compaction'])

/**
 * A row of the table `session_message` as the message and the parts that older versions keep in tables of their own.
 *
 * A message of the agent is one step, with the trees before and after it. Of types that are not known all is kept as one part.
 * Source: opencode's `packages/core/src/session/message.ts`; version 1.18 has the table, and writes to it only in its new engine.
 */
export function projected(id: string, type: string, createdAt: number, data: JsonObject | null): StoredMessage {
  const part = (content: JsonObject, at: number): StoredMessage['parts'][number] => ({ id: `${id}/${String(at).padStart(6, '0')}`, createdAt, data: content })
  const message = (role: 'user' | 'assistant', parts: readonly JsonObject[], more: JsonObject = {}): StoredMessage => ({ id, createdAt, data: { role, time: { created: createdAt }, ...more }, parts: parts.map(part) })
  if (data === null) return { id, createdAt, data: null, parts: [] }
  switch (type) {
    case 'user':
      return message('user', [{ type: 'text', text: textAt(data, 'text') ?? '' }, ...objectsAt(data, 'files').map((file) => ({ ...file, type: 'file', filename: textAt(file, 'name') ?? textAt(file, 'filename') ?? '' }))])
    case 'assistant': {
      const snapshot = objectAt(data, 'snapshot')
      const [before, after] = [textAt(snapshot, 'start'), textAt(snapshot, 'end')]
      const files = Array.isArray(snapshot?.['files']) ? snapshot['files'] : []
      return message(
        'assistant',
        [
          { type: 'step-start', ...(before === null ? {} : { snapshot: before }) },
          ...objectsAt(data, 'content').map(contentPart),
          ...(after === null ? [] : [{ type: 'step-finish', snapshot: after }]),
          ...(files.length > 0 ? [{ type: 'patch', files }] : []),
        ],
        { modelID: textAt(objectAt(data, 'model'), 'id') ?? '', ...(objectAt(data, 'error') ? { error: data['error'] } : {}) },
      )
    }
    case 'shell':
      // A person ran it, between two steps of the agent.
      return message('assistant', [{ type: 'shell-by-hand', ...data }])
    default:
      return message('assistant', [{ ...data, type: beside.has(type) ? type : `message ${type}` }])
  }
}

/** Whether a message of this type says anything before the first prompt. */
export function isOfTalk(type: string): boolean {
  return !beside.has(type)
}

function contentPart(content: JsonObject): JsonObject {
  if (textAt(content, 'type') !== 'tool') return content
  const state = objectAt(content, 'state')
  const input = objectAt(state, 'input')
  const structured = objectAt(state, 'structured')
  const time = objectAt(content, 'time')
  const output = objectsAt(state, 'content').flatMap((each) => textAt(each, 'text') ?? []).join('\n')
  const files = objectsAt(structured, 'files').map((file) => ({ filePath: textAt(file, 'file') ?? '', type: statusTypes.get(textAt(file, 'status') ?? '') ?? '', patch: textAt(file, 'patch') ?? '' }))
  const path = textAt(input, 'path')
  return {
    type: 'tool',
    tool: textAt(content, 'name') ?? '',
    callID: textAt(content, 'id') ?? '',
    state: {
      status: textAt(state, 'status') ?? '',
      input: { ...input, ...(path === null || textAt(input, 'filePath') !== null ? {} : { filePath: path }) },
      output: output === '' ? (textAt(objectAt(state, 'error'), 'message') ?? '') : output,
      metadata: { ...structured, files, exit: numberAt(structured, 'exit') ?? numberAt(structured, 'exitCode') },
      time: { start: numberAt(time, 'ran') ?? numberAt(time, 'created'), end: numberAt(time, 'completed') },
    },
  }
}

const statusTypes: ReadonlyMap<string, string> = new Map([
  ['added', 'add'],
  ['deleted', 'delete'],
  ['modified', 'update'],
])
