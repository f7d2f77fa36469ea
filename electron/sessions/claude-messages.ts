import { cutText, isObject, listAt, objectAt, textAt, type JsonObject } from './json-values.js'

/**
 * Texts of user records that no person typed as a prompt: local commands and what they printed, commands of the bash mode,
 * notices. A command that the agent carries out begins with its message instead, and is a prompt.
 */
const notTyped = /^\s*<(command-name|local-command-[a-z-]+|bash-(input|stdout|stderr)|task-notification|system-reminder|teammate-message|user-prompt-submit-hook)\b/
const interrupted = /^\[Request interrupted by user/
const left = /^\s*<command-name>\/(exit|quit)<\/command-name>/
const commandMessage = /^\s*<command-message>[^]*?<\/command-message>\s*<command-name>([^<]*)<\/command-name>(?:\s*<command-args>([^]*?)<\/command-args>)?/

/** The blocks of a message; a text stands for one block. */
export function blocksOf(record: JsonObject): readonly JsonObject[] {
  const content = objectAt(record, 'message')?.['content']
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return listAt(objectAt(record, 'message'), 'content').filter(isObject)
}

/** What a user record is. */
export function userRecordKind(record: JsonObject): 'prompt' | 'result' | 'compaction' | 'other' {
  const blocks = blocksOf(record)
  if (blocks.some((block) => block['type'] === 'tool_result')) return 'result'
  if (record['isCompactSummary'] === true) return 'compaction'
  if (record['isMeta'] === true || record['isVisibleInTranscriptOnly'] === true || blocks.length === 0) return 'other'
  const text = textIn(blocks)
  return notTyped.test(text) || interrupted.test(text) ? 'other' : 'prompt'
}

/** Whether a person left the agent with this user record. */
export function leaves(record: JsonObject): boolean {
  return record['isMeta'] !== true && left.test(textIn(blocksOf(record)))
}

/** What the person typed; images and documents are named. */
export function promptText(record: JsonObject): string {
  const blocks = blocksOf(record)
  const command = commandMessage.exec(textIn(blocks).slice(0, 20_000))
  if (command) return [command[1], command[2]].filter((part) => part !== undefined && part !== '').join(' ')
  return blocks.map((block) => textAt(block, 'text') ?? `[${textAt(block, 'type') ?? 'attachment'}]`).join('')
}

/** Text of a tool's result as the model was given it. */
export function resultText(block: JsonObject): string {
  const content = block['content']
  if (typeof content === 'string') return content
  return listAt(block, 'content')
    .filter(isObject)
    .map((each) => textAt(each, 'text') ?? `[${textAt(each, 'type') ?? 'block'}]`)
    .join('\n')
}

/** What to call a user record that is no prompt. */
export function labelOf(record: JsonObject): string {
  const text = textIn(blocksOf(record)).trim()
  const command = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1] ?? /<bash-input>([^<]*)<\/bash-input>/.exec(text)?.[1]
  if (command !== undefined) return cutText(command.trim(), 200)
  if (interrupted.test(text)) return 'interrupted'
  return record['isMeta'] === true ? 'note to the agent' : 'notice'
}

function textIn(blocks: readonly JsonObject[]): string {
  return blocks.map((block) => textAt(block, 'text') ?? '').join('')
}
