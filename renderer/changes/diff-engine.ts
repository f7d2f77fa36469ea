import { ReviewError } from '../../shared/errors.js'
import type { DiffAnswer, DiffRequest, TextDiff } from './diff-messages.js'
import { startDiffWorker } from './workers.js'

interface Waiting {
  readonly resolve: (diff: TextDiff) => void
  readonly reject: (error: ReviewError) => void
}

const waiting = new Map<number, Waiting>()
let worker: Worker | null = null
let nextId = 1

/**
 * What differs between two texts, computed off the window's thread by the engine that also makes the counts. It always
 * comes to an end and leaves nothing out.
 *
 * Errors: CANCELLED when the signal fires; INTERNAL when the worker died, a later call starts a new one.
 */
export function diffTexts(before: string, after: string, signal: AbortSignal, markedUnits: number | null = null): Promise<TextDiff> {
  return new Promise((resolve, reject) => {
    const cancelled = (): ReviewError => new ReviewError('CANCELLED', 'Cancelled. Nothing more was done.')
    if (signal.aborted) return reject(cancelled())
    const id = nextId++
    waiting.set(id, { resolve, reject })
    signal.addEventListener('abort', () => {
      if (waiting.delete(id)) reject(cancelled())
    }, { once: true })
    const request: DiffRequest = { id, before, after, markedUnits }
    runningWorker().postMessage(request)
  })
}

function runningWorker(): Worker {
  if (worker) return worker
  worker = startDiffWorker()
  worker.addEventListener('message', ({ data }: MessageEvent<DiffAnswer>) => {
    const call = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.kind === 'diff') call?.resolve(data.diff)
    else call?.reject(new ReviewError('INTERNAL', `The differences could not be computed: ${data.message}`))
  })
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    worker?.terminate()
    worker = null
    const error = new ReviewError('INTERNAL', 'The differences could not be computed. Choose the file again.')
    for (const call of waiting.values()) call.reject(error)
    waiting.clear()
  })
  return worker
}
