import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openBackupStore } from '../history/backup-store.js'
import { createContents } from '../review/contents.js'
import { createDiskView } from '../review/disk-view.js'
import { createDiskStates } from '../workspace/disk-states.js'
import { openWorkspace } from '../workspace/workspace.js'
import { describeSession } from '../testing/describe-session.js'
import { disturbedLines, linesOf, numbers, oneOf, type RandomNumbers } from '../testing/disturbed-lines.js'
import { setCommandTimes } from '../testing/command-times.js'
import { readTruth, writeTruthTree, type TruthTree } from '../testing/judge-states.js'
import { openClaude } from '../testing/open-claude.js'

const fixtures = fileURLToPath(new URL('./fixtures/claude-code', import.meta.url))
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 60)
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
const slowestMs = 4000
const secret = 'what nobody may read'

interface Case {
  readonly log: Buffer
  readonly base: string
  readonly file: string
  readonly workspace: string
  /** By prompt text: what really was at its start and its end. */
  readonly truth: ReadonlyMap<string, { readonly start: TruthTree; readonly end: TruthTree }>
}

const cases: readonly Case[] = ['tui-basic', 'print-resume-fork'].map((name) => {
  const { prompts } = readTruth(join(fixtures, name))
  const last = prompts.at(-1)
  const source = join(fixtures, name, 'home', last?.sessionFile ?? '')
  const base = mkdtempSync(join(tmpdir(), 'overturn-fuzz-'))
  const id = basename(source, '.jsonl')
  const folder = join(base, '.claude/projects/p')
  mkdirSync(folder, { recursive: true })
  const copies = join(fixtures, name, 'home/.claude/file-history', id)
  const own = join(base, '.claude/file-history', id)
  mkdirSync(own, { recursive: true })
  if (name === 'tui-basic') for (const each of readdirSync(copies)) writeFileSync(join(own, each), readFileSync(join(copies, each)))
  // Whatever leads out of the store, by name or by link.
  writeFileSync(join(base, 'secret'), secret)
  symlinkSync(join(base, 'secret'), join(own, 'link@v1'))
  mkdirSync(join(folder, id, 'tool-results'), { recursive: true })
  symlinkSync(join(base, 'secret'), join(folder, id, 'tool-results/link.txt'))
  symlinkSync(base, join(folder, id, 'subagents'))
  writeFileSync(join(base, 'agent-x.jsonl'), `{"uuid":"x","type":"assistant","message":{"content":[{"type":"tool_use","id":"s","name":"${secret}"}]}}\n`)
  const workspace = writeTruthTree(join(fixtures, name), last?.end ?? {})
  setCommandTimes(workspace, source, Object.keys(last?.end ?? {}))
  return {
    log: readFileSync(source),
    base,
    file: join(folder, `${id}.jsonl`),
    workspace,
    truth: new Map(prompts.map(({ text, start, end }) => [text, { start, end }])),
  }
})

/** Reads everything of a disturbed log; returns what was found wrong. */
async function readAll({ file, workspace, truth }: Case, log: Buffer, isTruthKept: boolean): Promise<readonly string[]> {
  writeFileSync(file, log)
  const session = await openClaude(file, { workspace }).catch((thrown: unknown) => {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'SESSION_FORMAT_UNKNOWN') return null
    throw thrown
  })
  if (!session) return []
  try {
    const wrong: string[] = []
    const all = JSON.stringify(await describeSession(session))
    if (all.includes(secret)) wrong.push('read beside the store')
    for (const { promptId } of session.turns) for (const callId of ['s', 'toolu_1']) await session.readOutput(promptId, callId).catch(() => '')
    if (!isTruthKept) return wrong
    const disk = createDiskView(await openWorkspace(workspace), createDiskStates())
    const contents = createContents({ session, disk: () => disk, store: await openBackupStore(join(dirname(file), 'store')) })
    for (const path of await contents.pathsTouched()) {
      for (const turn of session.turns) {
        // What the last turn went on to do is not in a log that was cut off.
        const isLast = turn === session.turns.at(-1)
        const known = truth.get(turn.prompt)
        for (const kind of isLast ? (['start'] as const) : (['start', 'end'] as const)) {
          const { content } = await contents.contentAt({ kind, promptId: turn.promptId }, path)
          // Where a prompt itself is lost, its turn goes on in the one before, which ends as the next one begins.
          const next = truth.get(session.turns[turn.index ?? -1]?.prompt ?? '')?.start
          const expected = [known?.[kind][path], ...(kind === 'end' && next ? [next[path]] : [])]
          const claimed = content.state.kind === 'file' ? content.state.sha256 : undefined
          const isClaimed = content.state.kind === 'file' || content.state.kind === 'absent'
          if (known && isClaimed && !expected.includes(claimed)) wrong.push(`${kind} of "${turn.prompt}" ${path}`)
        }
      }
    }
    return wrong
  } finally {
    session.close()
  }
}

/** Lines lost, moved, doubled and cut, the order turned round, the end torn; what is left says what it said. */
function withLosses(random: RandomNumbers, log: Buffer): Buffer {
  const lines = linesOf(log)
  for (let count = Math.floor(random() * 4); count >= 0 && lines.length > 2; count--) {
    const at = Math.floor(random() * lines.length)
    const line = lines[at] ?? Buffer.alloc(0)
    const to = Math.floor(random() * lines.length)
    const change = oneOf<() => unknown>(
      random,
      [
        () => lines.splice(at, 1),
        () => lines.splice(at, 1, line.subarray(0, Math.floor(random() * line.length))),
        () => lines.splice(to, 0, ...lines.splice(at, 3)),
        () => lines.splice(to, 0, line),
        () => lines.reverse(),
        () => lines.splice(at),
      ],
      () => undefined,
    )
    change()
  }
  const bytes = Buffer.concat(lines.map((line) => Buffer.concat([line, Buffer.from('\n')])))
  return random() < 0.3 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes
}

describe('a disturbed log of Claude Code', () => {
  it(`never fails, hangs, or reads beside its store (seed ${seed}, ${rounds} rounds)`, { timeout: 60_000 + rounds * 200 }, async () => {
    const random = numbers(seed)
    const wrong: string[] = []
    for (let round = 0; round < rounds; round++) {
      const one = cases[round % cases.length]
      if (!one) continue
      const startedAt = performance.now()
      const found = await readAll(one, disturbedLines(random, one.log), false)
      wrong.push(...found.map((each) => `round ${round}: ${each}`))
      if (performance.now() - startedAt > slowestMs) wrong.push(`round ${round} is slow`)
    }
    expect(wrong).toEqual([])
  })

  it(`claims nothing that was not so, whatever is lost, moved or cut off (seed ${seed})`, { timeout: 60_000 + rounds * 200 }, async () => {
    const random = numbers(seed)
    const wrong: string[] = []
    for (const one of cases) {
      for (let round = 0; round < rounds / 4; round++) {
        // The disk is the one of the end: a log that ends before may not take it for its own.
        wrong.push(...(await readAll(one, withLosses(random, one.log), true)).map((each) => `round ${round}: ${each}`))
      }
    }
    expect(wrong).toEqual([])
    for (const { base } of cases) rmSync(base, { recursive: true })
  })
})
