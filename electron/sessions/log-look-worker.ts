import { parentPort, workerData } from 'node:worker_threads'
import { lookAtLogs, type LogAnswer } from './log-looks.js'
import { logWorkerMark, type LookedAt, type LookTask } from './log-lookers.js'

// Looks at logs away from the thread that answers calls; a script of its own in the built app.
// The mark keeps it from answering when the module is imported in a worker of somebody else.
if (workerData === logWorkerMark) {
  let before = Promise.resolve()
  parentPort?.on('message', ({ questions }: LookTask) => {
    // One after the other: answers come in the order of the tasks.
    before = before.then(async () => {
      const answers: (LogAnswer | null)[] = questions.map(() => null)
      await lookAtLogs(questions, (answer, at) => void (answers[at] = answer))
      parentPort?.postMessage({ answers } satisfies LookedAt)
    })
  })
}
