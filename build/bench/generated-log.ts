// Session logs in the shape of qwen-code, the same for the same seed: prompts, replies, tool calls, results that hold whole files,
// prompt snapshots. Lines run from 0.3 KB to 200 KB.

import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { normal, randomFrom, textSource, type Random } from './generated-text.js'

export interface LogShape {
  readonly bytes: number
  readonly seed: number
  /** The output of one command, in bytes. */
  readonly hugeLine?: number
  /** The last line is cut off in the middle. */
  readonly isTorn?: boolean
  readonly lineEnd?: '\n' | '\r\n'
}

/** What a reader must find in a log. */
export interface LogTruth {
  readonly lines: number
  readonly prompts: number
  readonly snaps: number
}

const folder = '/home/dev/app'
const cutBytes = 200
const flushChars = 4_000_000

/** Writes one log. Returns what is in it, a torn line left out. */
export function writeLog(file: string, shape: LogShape, text = textSource(randomFrom(99))): LogTruth {
  mkdirSync(dirname(file), { recursive: true })
  const { lineEnd = '\n' } = shape
  const handle = openSync(file, 'w')
  const truth = { lines: 0, prompts: 0, snaps: 0 }
  let written = 0
  let waiting = ''
  let last = ''
  for (const record of records(shape, text)) {
    last = JSON.stringify(record)
    waiting += last + lineEnd
    truth.lines++
    if (record.type === 'user') truth.prompts++
    if (record.subtype === 'file_history_snapshot') truth.snaps++
    if (waiting.length < flushChars) continue
    written += writeSync(handle, waiting)
    waiting = ''
  }
  written += writeSync(handle, waiting)
  if (shape.isTorn) {
    ftruncateSync(handle, written - cutBytes)
    truth.lines--
  }
  closeSync(handle)
  return truth
}

/** Writes so many logs of very different sizes. Returns how many prompts they hold in all. */
export function writeLogs(location: string, count: number, bytes: number): number {
  const random = randomFrom(7)
  const text = textSource(randomFrom(99))
  const weights = Array.from({ length: count }, () => Math.exp(1.4 * normal(random)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.reduce((prompts, weight, at) => {
    const file = join(location, `project-${at % 40}`, 'chats', `${uuid(random)}.jsonl`)
    return prompts + writeLog(file, { bytes: Math.max(1500, (weight / sum) * bytes), seed: at }, text).prompts
  }, 0)
}

interface LogRecord {
  readonly type: string
  readonly subtype?: string
}

/** Ends with a reply after the wanted bytes, so that a torn last line is no prompt. */
function* records({ bytes, seed, hugeLine = 0 }: LogShape, text: (bytes: number) => string): Generator<LogRecord> {
  const random = randomFrom(seed)
  const sessionId = uuid(random)
  const tracked: Record<string, unknown> = {}
  let time = Date.UTC(2026, 0, 5, 8)
  let parentUuid: string | null = null
  let made = 0
  let turn = 0
  let isHugeDue = hugeLine > 0
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least))
  const now = (): string => new Date((time += between(400, 4400))).toISOString()
  const record = (type: string, fields: { readonly subtype?: string } & Readonly<Record<string, unknown>>, size: number): LogRecord => {
    const id = uuid(random)
    const made_ = { uuid: id, parentUuid, sessionId, timestamp: now(), type, cwd: folder, version: '0.24.4', gitBranch: 'main', ...fields }
    parentUuid = id
    made += size + 400
    return made_
  }
  const snapshot = (): LogRecord => {
    const snapshots = [{ promptId: `${sessionId}########${turn}`, timestamp: now(), trackedFileBackups: tracked }]
    return record('system', { subtype: 'file_history_snapshot', systemPayload: { snapshots } }, 120 * Object.keys(tracked).length)
  }
  const said = (role: string, part: unknown): object => ({ message: { role, parts: [part] } })

  while (made < bytes) {
    const ask = `Change the file ${between(0, 400)} so that it works. ${random() < 0.2 ? text(between(200, 1700)) : ''}`
    turn++
    yield record('user', said('user', { text: ask }) as Record<string, unknown>, ask.length)
    yield snapshot()
    for (let steps = between(1, 10); steps > 0 && made < bytes; steps--) {
      const path = `src/module-${between(0, 400)}.ts`
      const id = `call-${uuid(random)}`
      const length = Math.min(195_000, Math.max(300, Math.exp(Math.log(6000) + 1.25 * normal(random))))
      const isHuge = isHugeDue && made > bytes / 3
      if (isHuge) isHugeDue = false
      const output = isHuge ? text(1_000_000).repeat(Math.ceil(hugeLine / 1_000_000)).slice(0, hugeLine) : text(length)
      const isEdit = !isHuge && random() < 0.3
      const call = isEdit
        ? { functionCall: { id, name: 'edit', args: { file_path: `${folder}/${path}`, old_string: text(between(200, 1100)), new_string: text(between(200, 1400)) } } }
        : { functionCall: { id, name: 'run_shell_command', args: { command: `npm test -- ${path}` } } }
      yield record('assistant', { model: 'model-x', ...said('model', call) }, isEdit ? 1500 : 60)
      if (isEdit && tracked[path] === undefined) {
        tracked[path] = { backupFileName: `${uuid(random).replaceAll('-', '').slice(0, 16)}@v1`, version: 1, backupTime: now() }
        yield snapshot()
      }
      const answer = { functionResponse: { id, name: isEdit ? 'edit' : 'run_shell_command', response: { output } } }
      const toolCallResult = { callId: id, status: 'success', resultDisplay: isEdit ? output.slice(0, 16_000) : '' }
      yield record('tool_result', { ...said('user', answer), toolCallResult }, output.length)
    }
    const reply = text(between(200, 2700))
    yield record('assistant', { model: 'model-x', ...said('model', { text: reply }) }, reply.length)
  }
}

function uuid(random: Random): string {
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
}
