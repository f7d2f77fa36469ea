import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openBackupStore, type BackupStore } from '../history/backup-store.js'
import { createContents } from '../review/contents.js'
import { CodexLog } from '../testing/codex-log.js'
import { describeSession } from '../testing/describe-session.js'
import { disturbedLines, numbers } from '../testing/disturbed-lines.js'
import { judgeStates, readTruth, writeTruthTree, type RecordedTruth } from '../testing/judge-states.js'
import { addRepository, openCodex } from '../testing/open-codex.js'

const fixtures = fileURLToPath(new URL('./fixtures/codex', import.meta.url))
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 6)
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
const slowestMs = 5000
const secret = 'what nobody may read'

interface Case {
  readonly log: Buffer
  readonly file: string
  readonly workspace: string
  readonly ran: string
  readonly truth: RecordedTruth['prompts']
  /** Logs of agents that this one started. */
  readonly beside: readonly { readonly log: Buffer; readonly file: string }[]
}

/** A recorded session in a store and a workspace that would both lead elsewhere. */
function caseOf(name: string): Case {
  const fixture = join(fixtures, name)
  const { prompts } = readTruth(fixture)
  const source = join(fixture, 'home', prompts.at(-1)?.sessionFile ?? '')
  const base = mkdtempSync(join(tmpdir(), 'overturn-fuzz-'))
  const store = join(base, '.codex/sessions/2026/11/30')
  mkdirSync(store, { recursive: true })
  writeFileSync(join(base, 'secret'), secret)
  symlinkSync(base, join(base, '.codex/sessions/link'))
  const workspace = writeTruthTree(fixture, prompts.at(-1)?.end ?? {})
  addRepository(join(fixtures, 'legacy-0.80'), workspace)
  const ran = join(base, 'ran')
  writeFileSync(join(base, 'run.sh'), `#!/bin/sh\necho x >> '${ran}'\ncat\n`, { mode: 0o755 })
  const run = join(base, 'run.sh')
  appendFileSync(join(workspace, '.git/config'), `[core]\n\tfsmonitor = ${run}\n\tsshCommand = ${run}\n[filter "x"]\n\tclean = ${run}\n\tsmudge = ${run}\n\tprocess = ${run}\n[diff "x"]\n\ttextconv = ${run}\n\tcommand = ${run}\n`)
  mkdirSync(join(workspace, '.git/info'), { recursive: true })
  writeFileSync(join(workspace, '.git/info/attributes'), 'src/* filter=x diff=x\n')
  symlinkSync(join(base, 'secret'), join(workspace, 'secret'))
  symlinkSync(base, join(workspace, 'way'))
  return { log: readFileSync(source), file: join(store, 'rollout-x.jsonl'), workspace, ran, truth: prompts, beside: [] }
}

/** The same with turns that were taken back, and agents that started agents. */
function caseWithAgents(): Case {
  const one = caseOf('exec-basic')
  const ids = ['a', 'b', 'c'].map((last) => `00000000-0000-7000-8000-00000000000${last}`)
  const spawn = (log: CodexLog, callId: string, thread: string | undefined): void => {
    log.add('response_item', { type: 'function_call', name: 'spawn_agent', arguments: '{}', call_id: callId })
    log.item({ type: 'SubAgentActivity', id: callId, kind: 'started', agent_thread_id: thread, agent_path: '/root/x' })
    log.add('response_item', { type: 'function_call_output', call_id: callId, output: JSON.stringify({ agent_id: thread }) })
  }
  const logs = ids.map((id, at) => new CodexLog('/home/dev/shop-app-cx', Date.parse('2026-11-30T10:00:00Z') + at * 1000, { id, ...(at === 0 ? {} : { source: { subagent: { thread_spawn: { parent_thread_id: ids[at - 1], depth: at } } } }) }))
  const [log, ...agents] = logs
  if (!log) throw new Error('There is a log.')
  for (const [at, each] of logs.entries()) {
    if (at > 0) each.add('session_meta', { id: ids[at - 1] })
    for (const turn of ['1', '2', '3']) {
      each.prompt(`t${turn}-${at}`)
      each.patch([{ kind: 'add', path: `new-${at}.txt`, content: `one\u2028${turn}\n` }])
      spawn(each, `spawn-${turn}-${at}`, ids[at + 1])
      each.command('make')
      if (turn !== '1') each.add('event_msg', { type: 'thread_rolled_back', num_turns: 1 })
    }
  }
  const beside = agents.map((agent, at) => ({ log: Buffer.from(agent.text()), file: join(dirname(one.file), `rollout-2026-11-30T10-00-00-${ids[at + 1]}.jsonl`) }))
  return { ...one, log: Buffer.from(log.text()), truth: [], beside }
}

const cases = [...['exec-basic', 'legacy-0.80'].map(caseOf), caseWithAgents()]

/** Reads everything of a disturbed log; returns what was found wrong. */
async function readAll({ file, workspace }: Case, log: Buffer, store: BackupStore): Promise<readonly string[]> {
  writeFileSync(file, log)
  const session = await openCodex(file, { workspace }).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'SESSION_FORMAT_UNKNOWN') return null
    throw thrown
  })
  if (!session) return []
  try {
    const seen = [JSON.stringify(await describeSession(session))]
    const pages = await session.ledger?.pages()
    const contents = createContents({ session, disk: () => null, store })
    for (const path of await contents.pathsTouched()) {
      for (const { promptId } of session.turns) {
        const { content } = await contents.contentAt({ kind: 'end', promptId }, path)
        if (content.state.kind === 'file') seen.push(Buffer.from(await content.read()).toString('latin1'))
      }
    }
    for (const { promptId } of session.turns) seen.push(JSON.stringify(pages?.ofTurn(promptId)))
    return seen.some((text) => text.includes(secret)) ? ['read what is outside'] : []
  } finally {
    session.close()
  }
}

describe('a disturbed log of Codex', () => {
  it(`never fails, hangs, reads outside or runs anything (seed ${seed}, ${rounds} rounds)`, { timeout: 60_000 + rounds * 500 }, async () => {
    const random = numbers(seed)
    const store = await openBackupStore(mkdtempSync(join(tmpdir(), 'overturn-store-')))
    const wrong: string[] = []
    for (let round = 0; round < rounds; round++) {
      for (const one of cases) {
        for (const { log, file } of one.beside) writeFileSync(file, disturbedLines(random, log))
        const startedAt = performance.now()
        wrong.push(...(await readAll(one, disturbedLines(random, one.log), store)).map((each) => `round ${round}: ${each}`))
        if (performance.now() - startedAt > slowestMs) wrong.push(`round ${round} is slow`)
      }
    }
    expect([wrong, cases.filter(({ ran }) => existsSync(ran))]).toEqual([[], []])
  })

  it(`claims nothing that was not so, wherever it is cut off (seed ${seed})`, { timeout: 60_000 + rounds * 500 }, async () => {
    const random = numbers(seed)
    const store = await openBackupStore(mkdtempSync(join(tmpdir(), 'overturn-store-')))
    const wrong: string[] = []
    for (const one of cases.filter(({ truth }) => truth.length > 0)) {
      for (let round = 0; round < rounds / 3; round++) {
        const end = Math.floor(random() * one.log.length)
        writeFileSync(one.file, one.log.subarray(0, end))
        const session = await openCodex(one.file, { workspace: one.workspace }).catch(() => null)
        if (!session) continue
        const judged = await judgeStates(session, one.truth, null, store)
        const last = session.turns.length
        // What the last turn went on to do is not in a log that was cut off.
        wrong.push(...judged.wrong.filter((where) => !where.startsWith(`end${last} `)).map((where) => `${end}: ${where}`))
        session.close()
      }
    }
    expect(wrong).toEqual([])
  })
})
