import { parentPort, workerData } from 'node:worker_threads'
import { lookAtLogs, type LogAnswer } from './log-looks.js'
import { logWorkerMark, type LookedAt, type LookTask } from './log-lookers.js'

// Looks at logs away from the thread that answers calls; a script of its own in the built app.
// The mark keeps it from answering when the module is imported in a worker of somebody else.
if (workerData === logWorkerMark) {
  parentPort?.on('message', ({ questions }: LookTask) => {
    const answers: (LogAnswer | null)[] = questions.map(() => null)
    void lookAtLogs(questions, (answer, at) => void (answers[at] = answer)).then(() => parentPort?.postMessage({ answers } satisfies LookedAt))
  })
}
