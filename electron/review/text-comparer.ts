import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { throwIfAborted } from '../../shared/errors.js'
import { compareTexts, type TextComparison } from './compare-texts.js'

/** What goes to the worker. */
export interface CompareQuestion {
  readonly id: number
  readonly before: string
  readonly after: string
}

/** Compares texts without holding up other calls. */
export interface TextComparer {
  compare(before: string, after: string, signal?: AbortSignal): Promise<TextComparison>
  close(): Promise<void>
}

/** Up to this many characters a comparison takes a few milliseconds, and a hop to another thread is not worth it. */
const inPlaceLength = 200_000
/** A worker that has nothing to do is ended after this time. */
const idleMs = 10_000

/**
 * Makes a comparer with one worker thread, started when the first long texts come. `workerFile` is the built worker;
 * where it is not there (in tests) long texts are compared in place.
 */
export function createTextComparer(workerFile: string | null): TextComparer {
  const waiting = new Map<number, { readonly resolve: (answer: TextComparison) => void; readonly reject: (reason: Error) => void }>()
  const hasWorker = workerFile !== null && existsSync(workerFile)
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let nextId = 1

  const stop = async (): Promise<void> => {
    clearTimeout(idle)
    const ended = worker
    worker = null
    await ended?.terminate()
  }

  const fail = (reason: Error): void => {
    worker = null
    for (const { reject } of waiting.values()) reject(reason)
    waiting.clear()
  }

  const start = (file: string): Worker => {
    const started = new Worker(file)
    started.unref()
    started.on('message', ({ id, answer }: { readonly id: number; readonly answer: TextComparison }) => {
      waiting.get(id)?.resolve(answer)
      waiting.delete(id)
      if (waiting.size > 0) return
      started.unref()
      idle = setTimeout(() => void stop(), idleMs).unref()
    })
    started.on('error', fail)
    return started
  }

  const ask = (file: string, before: string, after: string): Promise<TextComparison> =>
    new Promise((resolve, reject) => {
      clearTimeout(idle)
      worker ??= start(file)
      worker.ref()
      const id = nextId++
      waiting.set(id, { resolve, reject })
      worker.postMessage({ id, before, after } satisfies CompareQuestion)
    })

  return {
    compare: async (before, after, signal) => {
      throwIfAborted(signal)
      const isLong = before.length + after.length > inPlaceLength
      const answer = isLong && hasWorker ? await ask(workerFile, before, after) : compareTexts(before, after)
      throwIfAborted(signal)
      return answer
    },
    close: stop,
  }
}
