// Session logs as agents write them, the same for the same seed: prompts, replies, tool calls, results that hold whole files,
// prompt snapshots. Lines run from 0.1 KB to 400 KB.

import { closeSync, ftruncateSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { recordWriter, uuid, type GeneratedFormat, type GeneratedRecord } from './generated-records.js'
import { normal, randomFrom, textSource } from './generated-text.js'

export interface LogShape {
  readonly bytes: number
  readonly seed: number
  readonly format?: GeneratedFormat
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

const cutBytes = 20
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
  for (const { record, kind } of records(shape, text)) {
    last = JSON.stringify(record)
    waiting += last + lineEnd
    truth.lines++
    if (kind === 'prompt') truth.prompts++
    if (kind === 'snapshot') truth.snaps++
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
export function writeLogs(location: string, count: number, bytes: number, format: GeneratedFormat = 'qwen'): number {
  const random = randomFrom(7)
  const text = textSource(randomFrom(99))
  const weights = Array.from({ length: count }, () => Math.exp(1.4 * normal(random)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.reduce((prompts, weight, at) => {
    const project = join(location, `project-${at % 40}`)
    const file = join(project, 'chats', logName(format, uuid(random)))
    mkdirSync(project, { recursive: true })
    if (format === 'gemini') writeFileSync(join(project, '.project_root'), '/home/dev/app')
    return prompts + writeLog(file, { bytes: Math.max(1500, (weight / sum) * bytes), seed: at, format }, text).prompts
  }, 0)
}

/** The name that the agent gives to a log. */
export function logName(format: GeneratedFormat, id: string): string {
  const names = { qwen: id, claude: id, codex: `rollout-2026-01-05T08-00-00-${id}`, gemini: `session-2026-01-05T08-00-${id.slice(0, 8)}` }
  return `${names[format]}.jsonl`
}

/** Ends with a reply after the wanted bytes, so that a torn last line is no prompt. */
function* records({ bytes, seed, format = 'qwen', hugeLine = 0 }: LogShape, text: (bytes: number) => string): Generator<GeneratedRecord> {
  const random = randomFrom(seed)
  const writer = recordWriter(format, random)
  let made = 0
  let isHugeDue = hugeLine > 0
  const between = (least: number, most: number): number => least + Math.floor(random() * (most - least))
  const counted = (records: readonly GeneratedRecord[]): readonly GeneratedRecord[] => {
    for (const { size } of records) made += size
    return records
  }

  yield* counted(writer.begin())
  while (made < bytes) {
    yield* counted(writer.prompt(`Change the file ${between(0, 400)} so that it works. ${random() < 0.2 ? text(between(200, 1700)) : ''}`))
    for (let steps = between(1, 10); steps > 0 && made < bytes; steps--) {
      const path = `src/module-${between(0, 400)}.ts`
      const length = Math.min(195_000, Math.max(300, Math.exp(Math.log(6000) + 1.25 * normal(random))))
      const isHuge = isHugeDue && made > bytes / 3
      if (isHuge) isHugeDue = false
      const output = isHuge ? text(1_000_000).repeat(Math.ceil(hugeLine / 1_000_000)).slice(0, hugeLine) : text(length)
      const edit = !isHuge && random() < 0.3 ? { before: text(between(200, 1100)), after: text(between(200, 1400)) } : null
      yield* counted(writer.call({ path, output, edit }))
    }
    yield* counted(writer.reply(text(between(200, 2700))))
  }
}
