// Readers of session logs, ours and others. Each runs in a process of its own, so that its memory can be told apart.

import { spawnSync } from 'node:child_process'
import { closeSync, createReadStream, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import type { GeneratedFormat } from './generated-records.js'
import type { Timed } from './measure.js'
import { listSessions, listTitles, newestPrompts, openSession, relistSessions, reopenSession } from './session-adapter.js'

/** What a reader counted; each leaves out what it does not know. */
export interface Counts {
  readonly lines?: number
  readonly prompts?: number
  readonly snaps?: number
  /** Logs of a folder. */
  readonly n?: number
}

export interface ReaderResult {
  readonly counts: Counts
  /** The most memory that its process held, Node's own 45 MB included. */
  readonly peakMB: number
  /** The longest time in which its process could do nothing else. */
  readonly blockMs: number
  /** What all its threads worked; other processes do not add to it. */
  readonly cpuMs: number
  /** The same before anything was compiled: what a process takes that does nothing else. */
  readonly firstMs: number
}

type Json = Readonly<Record<string, unknown>>

/** How prompts and snapshots are told from other lines: by their first bytes, and by the parsed record. */
interface Marks {
  readonly prompt: string
  readonly snapshot: string | null
  readonly isPrompt: (record: Json) => boolean
  readonly isSnapshot: (record: Json) => boolean
}

const inside = (value: unknown, key: string): unknown => (typeof value === 'object' && value !== null ? (value as Json)[key] : undefined)

export const marks: Readonly<Record<GeneratedFormat, Marks>> = {
  qwen: { prompt: '"type":"user"', snapshot: 'file_history_snapshot', isPrompt: ({ type }) => type === 'user', isSnapshot: ({ subtype }) => subtype === 'file_history_snapshot' },
  claude: {
    prompt: '"role":"user","content":"',
    snapshot: 'file-history-snapshot',
    isPrompt: ({ type, message }) => type === 'user' && typeof inside(message, 'content') === 'string',
    isSnapshot: ({ type }) => type === 'file-history-snapshot',
  },
  codex: { prompt: '"type":"UserMessage"', snapshot: null, isPrompt: ({ payload }) => inside(inside(payload, 'item'), 'type') === 'UserMessage', isSnapshot: () => false },
  gemini: {
    prompt: '"type":"user","content":[{"text"',
    snapshot: null,
    isPrompt: ({ type, content }) => type === 'user' && Array.isArray(content) && inside(content[0], 'text') !== undefined,
    isSnapshot: () => false,
  },
}

/** The least that finds all prompts: look for line ends, look at the head of each line, parse prompts. */
function scanLog(file: string, { prompt, snapshot }: Marks, buffer = Buffer.allocUnsafe(1 << 20)): Counts {
  const handle = openSync(file, 'r')
  let lines = 0
  let prompts = 0
  let snaps = 0
  let have = 0
  let isInLongLine = false
  const look = (start: number, end: number): void => {
    lines++
    const head = buffer.toString('latin1', start, Math.min(end, start + 420))
    if (head.includes(prompt)) prompts += parsed(buffer.toString('utf8', start, end)) === null ? 0 : 1
    else if (snapshot !== null && head.includes(snapshot)) snaps++
  }
  for (;;) {
    const bytesRead = readSync(handle, buffer, have, buffer.length - have, null)
    const end = have + bytesRead
    let start = 0
    for (let close = buffer.indexOf(10, have); close >= 0 && close < end; close = buffer.indexOf(10, start)) {
      if (!isInLongLine) look(start, close)
      isInLongLine = false
      start = close + 1
    }
    if (bytesRead === 0) break
    if (start === 0 && end === buffer.length) {
      if (!isInLongLine) look(0, end)
      isInLongLine = true
      have = 0
    } else {
      buffer.copyWithin(0, start, end)
      have = end - start
    }
  }
  closeSync(handle)
  return { lines, prompts, snaps }
}

async function parseLog(file: string, { isPrompt, isSnapshot }: Marks): Promise<Counts> {
  let lines = 0
  let prompts = 0
  let snaps = 0
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const record = parsed(line)
    if (!record) continue
    lines++
    if (isPrompt(record)) prompts++
    if (isSnapshot(record)) snaps++
  }
  return { lines, prompts, snaps }
}

function parsed(line: string): Json | null {
  try {
    return JSON.parse(line) as Json
  } catch {
    return null
  }
}

function logsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? logsBelow(path) : path.endsWith('.jsonl') ? [path] : []
  })
}

function scanAll(folder: string, format: Marks): Counts {
  const buffer = Buffer.allocUnsafe(1 << 18)
  const files = logsBelow(folder)
  return { n: files.length, prompts: files.reduce((sum, file) => sum + (scanLog(file, format, buffer).prompts ?? 0), 0) }
}

async function parseAll(folder: string, format: Marks): Promise<Counts> {
  const files = logsBelow(folder)
  let prompts = 0
  for (const file of files) prompts += (await parseLog(file, format)).prompts ?? 0
  return { n: files.length, prompts }
}

/** Reads each log up to its first prompt: a title, no counts. */
function readHeads(folder: string, { prompt }: Marks): Counts {
  const buffer = Buffer.allocUnsafe(1 << 14)
  const titled = logsBelow(folder).filter((file) => {
    const handle = openSync(file, 'r')
    const text = buffer.toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, 0))
    closeSync(handle)
    return text.split('\n').some((line) => line.includes(prompt) && parsed(line) !== null)
  })
  return { n: titled.length }
}

function statAll(folder: string): Counts {
  const files = logsBelow(folder)
  for (const file of files) statSync(file)
  return { n: files.length }
}

const readers = {
  scan: scanLog,
  parse: parseLog,
  open: openSession,
  reopen: reopenSession,
  newest: newestPrompts,
  scanAll,
  parseAll,
  readHeads,
  statAll,
  list: listSessions,
  listTitles,
  relist: relistSessions,
}
export type ReaderName = keyof typeof readers

/** Is run in the process of a reader: reads twice, since the app has read other logs before, and prints what it found. */
export async function runReader(name: string, target: string, format: string): Promise<void> {
  const reader: (target: string, marks: Marks) => Counts | Promise<Counts> = readers[name as ReaderName]
  const known = marks[format as GeneratedFormat]
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const before = performance.now()
  await reader(target, known)
  const firstMs = performance.now() - before
  delay.enable()
  const start = performance.now()
  const cpu = process.cpuUsage()
  const { lines, prompts, snaps, n } = await reader(target, known)
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  delay.disable()
  const counts = { lines, prompts, snaps, n }
  const result: ReaderResult = { counts, peakMB: process.resourceUsage().maxRSS / 1024, blockMs: delay.max / 1e6, cpuMs: (user + system) / 1000, firstMs }
  process.stdout.write(JSON.stringify({ ms, result } satisfies Timed<ReaderResult>))
}

/** Runs a reader in a process of its own. What it keeps between runs it keeps in `cache`. */
export function readIn(name: ReaderName, target: string, cache: string, format: GeneratedFormat): Timed<ReaderResult> {
  const { status, stdout, stderr } = spawnSync(process.execPath, [process.argv[1] ?? '', 'read', name, target, format], { env: { ...process.env, TMPDIR: cache }, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The reader ${name} ended with ${status}: ${stderr}`)
  return JSON.parse(stdout) as Timed<ReaderResult>
}
