// The engines that compare texts, each in a thread of its own, so that one that finds no end can be ended.

import { Worker, parentPort, workerData } from 'node:worker_threads'
import { applyPatch as applyPeers, diffLines as diffPeers } from 'diff'
import { applyPatch, diffLines, type BenchChange } from './diff-adapter.js'
import type { Timed } from './measure.js'

export const engines = ['ours', 'jsdiff', 'Monaco', 'ours, patch', 'jsdiff, patch'] as const
export type EngineName = (typeof engines)[number]

/** What an engine is asked: two texts to compare, or a text and the patch to apply. */
export interface EngineTask {
  readonly before: string
  readonly after: string
}

/** Changes of a comparison (of ours alone; others only count), or the text with a patch applied; `null` when it gave up. */
export type EngineResult = readonly BenchChange[] | string | null

/** An engine gets so long for one answer. */
export const patienceMs = 7_000
const monacoLimitMs = 5_000

/** Is run in a thread of the bench: answers until it is ended. */
export async function answerTasks(): Promise<void> {
  const engine = await engineOf((workerData as { readonly engine: EngineName }).engine)
  parentPort?.on('message', ({ before, after }: EngineTask) => {
    const start = performance.now()
    const result = engine(before, after)
    parentPort?.postMessage({ ms: performance.now() - start, result } satisfies Timed<EngineResult>)
  })
  parentPort?.postMessage('ready')
}

async function engineOf(name: EngineName): Promise<(before: string, after: string) => EngineResult> {
  switch (name) {
    case 'ours':
      return diffLines
    case 'jsdiff':
      return (before, after) => (diffPeers(before, after) ? [] : null)
    case 'Monaco':
      return monacoEngine()
    case 'ours, patch':
      return applyPatch
    case 'jsdiff, patch':
      return (text, patch) => applyPeers(text, patch) || null
  }
}

interface MonacoDiff {
  readonly DefaultLinesDiffComputer: new () => {
    computeDiff(before: readonly string[], after: readonly string[], options: object): { readonly hitTimeout: boolean }
  }
}

async function monacoEngine(): Promise<(before: string, after: string) => EngineResult> {
  // The package has no types for its inner modules.
  const inner = 'monaco-editor/editor/common/diff/defaultLinesDiffComputer/defaultLinesDiffComputer'
  const { DefaultLinesDiffComputer } = (await import(inner)) as MonacoDiff
  const options = { ignoreTrimWhitespace: false, maxComputationTimeMs: monacoLimitMs, computeMoves: false }
  const computer = new DefaultLinesDiffComputer()
  return (before, after) => (computer.computeDiff(before.split('\n'), after.split('\n'), options).hitTimeout ? null : [])
}

/** An engine in its thread. */
export class EngineThread {
  private worker: Worker | null = null

  constructor(private readonly name: EngineName) {}

  /** Starts the thread and loads the engine, so that neither is measured. */
  async start(): Promise<void> {
    if (this.worker) return
    const worker = new Worker(process.argv[1] ?? '', { workerData: { engine: this.name } })
    this.worker = worker
    await answerOf(worker)
  }

  /** `result` is `null` when it gave up or ran out of time. */
  async ask(task: EngineTask): Promise<Timed<EngineResult>> {
    await this.start()
    const { worker } = this
    if (!worker) return { ms: 0, result: null }
    worker.postMessage(task)
    const answer = await answerOf(worker)
    if (answer === null) await this.stop()
    return answer ?? { ms: patienceMs, result: null }
  }

  async stop(): Promise<void> {
    await this.worker?.terminate()
    this.worker = null
  }
}

/** `null` when none came in time. Errors of the thread are thrown. */
function answerOf(worker: Worker): Promise<Timed<EngineResult> | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(() => resolve(null)), patienceMs)
    const end = (settle: () => void): void => {
      clearTimeout(timer)
      worker.removeAllListeners('message').removeAllListeners('error')
      settle()
    }
    worker.once('message', (answer: Timed<EngineResult>) => end(() => resolve(answer)))
    worker.once('error', (error) => end(() => reject(error)))
  })
}
