import { parentPort } from 'node:worker_threads'
import { compareTexts } from './compare-texts.js'
import type { CompareQuestion } from './text-comparer.js'

// Compares long texts away from the thread that answers calls. It is a script of its own in the built app.
parentPort?.on('message', ({ id, before, after }: CompareQuestion) => {
  parentPort?.postMessage({ id, answer: compareTexts(before, after) })
})
