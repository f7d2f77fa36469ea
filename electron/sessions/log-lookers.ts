import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import { firstSignal } from '../base/first-signal.js'
import { lookAtLogs, type LogAnswer, type LogQuestion } from './log-looks.js'

/** What goes to a thread, which answers each task with `LookedAt`. */
export interface LookTask {
  readonly questions: readonly LogQuestion[]
}

/** One answer for each question; `null` where there is none. */
export interface LookedAt {
  readonly answers: readonly (LogAnswer | null)[]
}

/** The data of a thread: tells it that it was started for this. */
export const logWorkerMark = 'overturn-logs'

/** Looks at logs, on other threads where there are many: thousands would hold up whoever else wants this one. */
export interface LogLookers {
  /** Tells each answer with the place of its question, in no order. Errors: CANCELLED. */
  look(questions: readonly LogQuestion[], onAnswer: (answer: LogAnswer, at: number) => void, signal?: AbortSignal): Promise<void>
  /** Starts a thread before it is known what there is to look at. */
  prepare(): void
  close(): Promise<void>
}

/** Fewer than this, in number and in bytes, are looked at faster than a thread starts. */
const manyLogs = 100
const manyBytes = 64 << 20
/** What a thread is given at a time. */
const logsAtOnce = 16
const bytesAtOnce = 4 << 20
/** Each compiles the same code anew, which costs as much as some thousand logs. */
const mostThreads = 2
/** So many tasks wait at a thread, so that it need not wait for the next one. */
const tasksAhead = 2
/** Threads that have nothing to do are ended after this time. */
const idleMs = 10_000

interface Task extends LookTask {
  readonly take: (answers: LookedAt['answers']) => void
  /** The thread broke down. */
  readonly fail: () => void
}

/**
 * `workerFile` is the built `log-look-worker`; where it is not there (in tests) all is done on this thread. `isAlone`: nobody else wants
 * the processor meanwhile; else half of it stays free.
 */
export function createLogLookers(workerFile: string | null, isAlone = false): LogLookers {
  const threads = Math.min(mostThreads, Math.max(1, Math.floor(availableParallelism() / (isAlone ? 1 : 2))))
  /** The threads, each with what it was given and has not answered yet, in that order. */
  const given = new Map<Worker, Task[]>()
  // Titles come before counts.
  const waiting: Record<LogQuestion['wanted'], Task[]> = { ends: [], counts: [] }
  const closed = new AbortController()
  let idleTimer: NodeJS.Timeout | undefined

  const endAll = async (): Promise<void> => {
    clearTimeout(idleTimer)
    const ended = [...given.keys()]
    given.clear()
    await Promise.all(ended.map((thread) => thread.terminate()))
  }

  const endWhenIdle = (): void => {
    clearTimeout(idleTimer)
    if ([...given.values()].every((tasks) => tasks.length === 0)) idleTimer = setTimeout(() => void endAll(), idleMs).unref()
  }

  const start = (file: string): Worker => {
    const thread = new Worker(file, { workerData: logWorkerMark })
    const tasks: Task[] = []
    given.set(thread, tasks)
    const breakDown = (): void => {
      given.delete(thread)
      for (const task of tasks.splice(0)) task.fail()
      giveWork(file)
    }
    thread.on('message', ({ answers }: LookedAt) => {
      const task = tasks.shift()
      giveWork(file)
      if (tasks.length === 0) thread.unref()
      endWhenIdle()
      task?.take(answers)
    })
    thread.on('error', breakDown)
    thread.on('exit', breakDown)
    thread.unref()
    return thread
  }

  const giveWork = (file: string): void => {
    while (!closed.signal.aborted && waiting.ends.length + waiting.counts.length > 0) {
      const [least] = [...given].sort(([, one], [, other]) => one.length - other.length)
      const isFree = least !== undefined && (given.size < threads ? least[1].length === 0 : least[1].length < tasksAhead)
      if (!isFree && given.size === threads) return
      const thread = isFree ? least[0] : start(file)
      const task = waiting.ends.shift() ?? waiting.counts.shift()
      if (!task) return
      clearTimeout(idleTimer)
      given.get(thread)?.push(task)
      thread.ref()
      thread.postMessage({ questions: task.questions } satisfies LookTask)
    }
  }

  const lookElsewhere = (file: string, questions: readonly LogQuestion[], onAnswer: (answer: LogAnswer, at: number) => void, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = waiting[questions[0]?.wanted ?? 'counts']
      const end = (settle: () => void): void => {
        signal?.removeEventListener('abort', onAbort)
        closed.signal.removeEventListener('abort', onAbort)
        settle()
      }
      const onAbort = (): void => {
        // What is under way goes on, and nobody hears of it.
        queue.splice(0, queue.length, ...queue.filter((task) => !tasks.includes(task)))
        end(() => reject(new ReviewError('CANCELLED', 'Cancelled. Nothing more was done.')))
      }
      const isAborted = (): boolean => closed.signal.aborted || signal?.aborted === true
      let left = 0
      const tasks = inTasks(questions).map(({ from, part }): Task => {
        const take = (answers: LookedAt['answers']): void => {
          if (isAborted()) return
          for (const [at, answer] of answers.entries()) if (answer) onAnswer(answer, from + at)
          left--
          if (left === 0) end(resolve)
        }
        const fail = (): void => {
          if (isAborted()) return
          lookAtLogs(part, (answer, at) => onAnswer(answer, from + at), signal).then(() => take([]), (thrown: unknown) => end(() => reject(thrown as Error)))
        }
        return { questions: part, take, fail }
      })
      left = tasks.length
      signal?.addEventListener('abort', onAbort)
      closed.signal.addEventListener('abort', onAbort)
      queue.push(...tasks)
      giveWork(file)
    })

  return {
    look: async (questions, onAnswer, signal) => {
      throwIfAborted(signal)
      throwIfAborted(closed.signal)
      const bytes = questions.reduce((sum, { wanted, sizeBytes }) => (wanted === 'ends' ? sum : sum + sizeBytes), 0)
      const isMuch = questions.length >= manyLogs || bytes >= manyBytes
      if (isMuch && workerFile !== null && existsSync(workerFile)) return lookElsewhere(workerFile, questions, onAnswer, signal)
      const stop = firstSignal(signal, closed.signal)
      await lookAtLogs(questions, onAnswer, stop.signal).finally(stop.release)
    },
    prepare: () => {
      if (workerFile === null || closed.signal.aborted || given.size > 0 || !existsSync(workerFile)) return
      start(workerFile)
      endWhenIdle()
    },
    close: async () => {
      closed.abort()
      await endAll()
    },
  }
}

/** Parts that a thread is through with soon; a big log is one by itself. `from` is the place of the first question. */
function inTasks(questions: readonly LogQuestion[]): readonly { readonly from: number; readonly part: readonly LogQuestion[] }[] {
  const tasks: { readonly from: number; readonly part: LogQuestion[] }[] = []
  let bytes = 0
  questions.forEach((question, from) => {
    const last = tasks[tasks.length - 1]
    const more = question.wanted === 'ends' ? 0 : question.sizeBytes
    if (!last || last.part.length === logsAtOnce || bytes + more > bytesAtOnce) {
      tasks.push({ from, part: [question] })
      bytes = more
    } else {
      last.part.push(question)
      bytes += more
    }
  })
  return tasks
}
