// What a bench calls of ours, in one module: `npm run -s built -- bench-adapter` builds it and prints its path.

export { applyPatch, diffLines } from './diff-adapter.js'
export { createHistory } from './history-adapter.js'
export { listSessions, openSession, relistSessions, reopenSession } from './session-adapter.js'
