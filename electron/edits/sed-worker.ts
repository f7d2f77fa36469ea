import { parentPort, workerData } from 'node:worker_threads'
import { apply } from './sed-edit.js'
import { sedWorkerMark, type SedQuestion } from './sed-runner.js'

// Applies one command after another away from the thread that answers calls; a script of its own in the built app.
// The mark keeps it from answering when the module is imported in a worker of somebody else.
if (workerData === sedWorkerMark) {
  parentPort?.on('message', ({ bytes, parsed, locale }: SedQuestion) => {
    parentPort?.postMessage(apply(bytes, parsed, { locale }))
  })
}
