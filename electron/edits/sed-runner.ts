import { Worker } from 'node:worker_threads'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { RecognisedSed } from './sed-command.js'
import type { SedEdit } from './sed-edit.js'

/** What goes to the worker, which answers each question with a `SedEdit`. */
export interface SedQuestion {
  readonly bytes: Uint8Array
  readonly parsed: RecognisedSed
  readonly locale: string
}

/** The worker's data: tells it that it was started for this. */
export const sedWorkerMark = 'overturn-sed'

/** `apply` in a worker thread, where a slow pattern holds up nobody. */
export interface SedRunner {
  /** As `apply`; declined as well after the deadline. Errors: CANCELLED, and then nothing goes on in the background. */
  apply(
    bytes: Uint8Array,
    parsed: RecognisedSed,
    options: { readonly locale: string; readonly signal?: AbortSignal },
  ): Promise<SedEdit>
  close(): Promise<void>
}

/** After it the command is left to the shell. */
const defaultDeadlineMs = 2700

/** One worker, started with the first question and kept; it does not keep the process alive. `workerFile` is the built `sed-worker`. */
export function createSedRunner(workerFile: string | URL, deadlineMs = defaultDeadlineMs): SedRunner {
  let worker: Worker | null = null
  let last: Promise<unknown> = Promise.resolve()

  const stop = async (): Promise<void> => {
    const ended = worker
    worker = null
    await ended?.terminate()
  }

  const ask = (question: SedQuestion, signal: AbortSignal | undefined): Promise<SedEdit> =>
    new Promise((resolve, reject) => {
      const asked = (worker ??= new Worker(workerFile, { workerData: sedWorkerMark }))
      const settle = (end: () => void): void => {
        clearTimeout(timer)
        asked.off('message', onAnswer)
        asked.off('error', onError)
        signal?.removeEventListener('abort', onAbort)
        asked.unref()
        end()
      }
      const giveUp = (end: () => void): void => settle(() => void stop().then(end))
      const declineAfter = (reason: string): void => giveUp(() => resolve({ kind: 'declined', reason }))
      const onAbort = (): void =>
        giveUp(() => reject(new ReviewError('CANCELLED', 'Cancelled. Nothing more was done.')))
      const onAnswer = (edit: SedEdit): void => settle(() => resolve(edit))
      const onError = (error: Error): void => declineAfter(`the simulation failed: ${error.message}`)
      const timer = setTimeout(() => declineAfter('the pattern takes too long on this file'), deadlineMs)
      signal?.addEventListener('abort', onAbort)
      asked.on('message', onAnswer)
      asked.on('error', onError)
      asked.ref()
      asked.postMessage(question)
    })

  return {
    apply: async (bytes, parsed, { locale, signal }) => {
      const before = last
      const answer = before.then(() => {
        throwIfAborted(signal)
        return ask({ bytes, parsed, locale }, signal)
      })
      last = answer.catch(() => undefined)
      return answer
    },
    close: stop,
  }
}
