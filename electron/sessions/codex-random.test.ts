import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBackupStore, type BackupStore } from '../history/backup-store.js'
import { CodexLog } from '../testing/codex-log.js'
import { judgeStates, type RecordedTruth, type TruthTree } from '../testing/judge-states.js'
import { openCodex } from '../testing/open-codex.js'
import { Random } from '../testing/random.js'
import { linesOf } from './codex-diff.js'
import type { FileEdit } from './codex-fields.js'

const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 25)
const begin = Date.parse('2026-03-01T10:00:00Z')

type Files = Map<string, string>

/** Some lines replaced, as a new text and as the diff that Codex records. */
function edited(random: Random, text: string): { readonly after: string; readonly diff: string } {
  const lines = linesOf(text)
  const hunks: string[] = []
  const after: string[] = []
  let done = 0
  let shift = 0
  for (let at = random.below(Math.min(4, lines.length)); at < lines.length && hunks.length < 3; at += 4 + random.below(6)) {
    const count = Math.min(random.below(3), lines.length - at)
    const end = lines[at]?.endsWith('\r\n') ? '\r\n' : '\n'
    const added = Array.from({ length: count === 0 ? 1 + random.below(2) : random.below(3) }, () => `agent ${random.below(1e6)}${end}`)
    const [lead, trail] = [lines.slice(Math.max(0, at - 1), at), lines.slice(at + count, at + count + 1)]
    const removed = lines.slice(at, at + count)
    const [oldCount, newCount] = [lead.length + removed.length + trail.length, lead.length + added.length + trail.length]
    const oldStart = at - lead.length
    const place = (start: number, length: number): string => `${length === 0 ? start : start + 1},${length}`
    hunks.push(`@@ -${place(oldStart, oldCount)} +${place(oldStart + shift, newCount)} @@\n${[...lead.map((line) => ` ${line}`), ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`), ...trail.map((line) => ` ${line}`)].map(marked).join('')}`)
    after.push(...lines.slice(done, at), ...added)
    done = at + count
    shift += added.length - removed.length
  }
  after.push(...lines.slice(done))
  return { after: after.join(''), diff: hunks.join('') }
}

function marked(line: string): string {
  return line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`
}

function newText(random: Random): string {
  const end = random.chance(20) ? '\r\n' : '\n'
  return Array.from({ length: 3 + random.below(14) }, (_, at) => `line ${at} ${random.below(1e6)}${end}`).join('')
}

function treeOf(files: Files): TruthTree {
  return Object.fromEntries([...files].map(([path, text]) => [path, createHash('sha256').update(text).digest('hex')]))
}

interface Played {
  readonly log: string
  readonly truth: RecordedTruth['prompts']
  readonly folder: string | null
}

/** An agent that the first one started, and what it wrote before that. */
function started(random: Random, log: CodexLog, id: string): CodexLog {
  const callId = `spawn-${id}`
  log.add('response_item', { type: 'function_call', name: 'spawn_agent', arguments: '{}', call_id: callId })
  if (random.chance(70)) log.add('response_item', { type: 'function_call_output', call_id: callId, output: JSON.stringify({ agent_id: id }) })
  const agent = new CodexLog(log.folder, log.time + 200, { id, source: { subagent: { thread_spawn: { parent_thread_id: 'thread', depth: 1 } } } })
  agent.prompt(`of-${id}`)
  return agent
}

/** Plays a session with an agent, others that it starts, a person and commands; what really was there is kept. */
function play(random: Random): Played {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-codex-'))
  const files: Files = new Map(['a.txt', 'b.txt', 'sub/c.txt'].map((path) => [path, newText(random)]))
  const writtenAt = new Map<string, number>()
  const hasRepository = random.chance(30)
  const commit = hasRepository ? committed(folder, files) : null
  // Somebody had not committed all of it, elsewhere than the agent will look.
  if (random.chance(30)) files.set('a.txt', `${files.get('a.txt') ?? ''}not committed\n`)
  const log = new CodexLog('/home/dev/app', begin, commit === null ? {} : { git: { commit_hash: commit } })
  const truth: { text: string; sessionFile: string; changed: { path: string; kind: string }[]; start: TruthTree; end: TruthTree }[] = []
  let doer = log
  const write = (path: string, text: string | null): void => {
    if (text === null) files.delete(path)
    else files.set(path, text)
    writtenAt.set(path, doer.time)
  }
  const agents: CodexLog[] = []
  const isWithAgents = random.chance(40)
  for (let turn = 0; turn < 4; turn++) {
    log.wait(60_000)
    // A person puts a line at the top, which the next diff of the file notices.
    const typed = random.chance(25) ? [...files].slice(0, 1) : []
    for (const [path, text] of typed) write(path, `person ${random.below(1e6)}\n${text}`)
    log.wait(60_000)
    const start = treeOf(files)
    log.prompt(`turn-${turn}`)
    for (const [path] of typed) {
      const { after, diff } = edited(random, files.get(path) ?? '')
      log.wait(5)
      write(path, after)
      log.patch([{ kind: 'update', path, diff, moveTo: null }])
    }
    for (let step = random.below(4); step >= 0; step--) {
      if (isWithAgents && random.chance(30)) agents.push(started(random, log, `agent-${agents.length}`))
      // One after the other, or by an agent that an earlier turn started.
      doer = agents.length > 0 && random.chance(60) ? random.pick(agents) : log
      doer.wait(Math.max(0, log.time - doer.time))
      act(random, doer, files, write)
      log.wait(Math.max(0, doer.time - log.time) + random.below(400))
    }
    doer = log
    log.say('done')
    const end = treeOf(files)
    const changed = [...new Set([...Object.keys(start), ...Object.keys(end)])].filter((path) => start[path] !== end[path]).map((path) => ({ path, kind: 'modified' }))
    truth.push({ text: `turn-${turn}`, sessionFile: '', changed, start, end })
    if (!random.chance(15)) continue
    const count = 1 + random.below(2)
    log.add('event_msg', { type: 'thread_rolled_back', num_turns: count })
    truth.splice(Math.max(0, truth.length - count))
  }
  log.wait(60_000)
  if (random.chance(30)) for (const [path, text] of [...files].slice(0, 2)) write(path, `${text}typed later\n`)
  for (const [path, text] of files) {
    mkdirSync(join(folder, 'sub'), { recursive: true })
    writeFileSync(join(folder, path), text)
    const time = (writtenAt.get(path) ?? begin - 60_000) / 1000
    utimesSync(join(folder, path), time, time)
  }
  for (const path of ['a.txt', 'b.txt', 'sub/c.txt']) if (!files.has(path)) rmSync(join(folder, path), { force: true })
  const isThere = random.chance(75)
  if (!isThere) rmSync(folder, { recursive: true })
  const place = mkdtempSync(join(tmpdir(), 'overturn-log-'))
  const file = join(place, 'rollout-x.jsonl')
  writeFileSync(file, log.text())
  const isLost = random.chance(20)
  if (!isLost) agents.forEach((agent, at) => writeFileSync(join(place, `rollout-agent-${at}.jsonl`), agent.text()))
  return { log: file, truth, folder: isThere ? folder : null }
}

function act(random: Random, log: CodexLog, files: Files, write: (path: string, text: string | null) => void): void {
  const path = random.pick(['a.txt', 'b.txt', 'sub/c.txt', 'new.txt'])
  log.wait(200)
  const text = files.get(path)
  const edits: FileEdit[] = []
  const kind = random.below(100)
  if (text === undefined) {
    const content = newText(random)
    log.wait(5)
    write(path, content)
    return log.patch([{ kind: 'add', path, content }])
  }
  if (kind < 50) {
    const { after, diff } = edited(random, text)
    const moveTo = random.chance(15) && !files.has('moved.txt') ? 'moved.txt' : null
    edits.push({ kind: 'update', path, diff, moveTo })
    log.wait(5)
    write(path, moveTo === null ? after : null)
    if (moveTo !== null) write(moveTo, after)
  } else if (kind < 58) {
    edits.push({ kind: 'delete', path, content: random.chance(70) ? text : null })
    write(path, null)
  } else if (kind < 66) {
    const content = newText(random)
    edits.push({ kind: 'add', path, content })
    write(path, content)
  } else if (kind < 76) return log.command(`cat ${path}`, text)
  else if (kind < 84) {
    write(path, `${text}by a tool\n`)
    return log.command('make everything')
  } else if (kind < 90) {
    write(path, null)
    return log.command(`rm ${path}`)
  } else if (kind < 95) {
    write(path, 'hello\n')
    return log.command(`echo hello > ${path}`)
  } else return log.patch([{ kind: 'update', path, diff: edited(random, text).diff, moveTo: null }], random.pick(['declined', 'failed']))
  log.patch(edits)
}

function committed(folder: string, files: Files): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@y', '-c', 'init.defaultBranch=main', '-c', 'core.autocrlf=false', ...args], { encoding: 'utf8' })
  git('init', '-q')
  mkdirSync(join(folder, 'sub'))
  for (const [path, text] of files) writeFileSync(join(folder, path), text)
  git('add', '-A')
  git('commit', '-qm', 'all')
  return git('rev-parse', 'HEAD').trim()
}

describe('states of sessions that were played', () => {
  it('are never wrong', async () => {
    console.info(`FUZZ_SEED=${seed}`)
    const store: BackupStore = await openBackupStore(mkdtempSync(join(tmpdir(), 'overturn-store-')))
    const wrong: string[] = []
    const counts = { known: 0, changed: 0 }
    for (let round = 0; round < rounds; round++) {
      const { log, truth, folder } = play(new Random(seed + round))
      const session = await openCodex(log, { workspace: folder })
      const judged = await judgeStates(session, truth, folder, store)
      wrong.push(...judged.wrong.map((each) => `seed ${seed + round}: ${each}`))
      counts.known += judged.knownEnds
      counts.changed += judged.changedEnds
      session.close()
    }
    expect(wrong).toEqual([])
    expect(counts.known / counts.changed).toBeGreaterThan(0.5)
    if (process.env['FUZZ_ROUNDS']) console.info(counts)
  }, 600_000)
})
