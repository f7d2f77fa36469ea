import { it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { openAgent } from '../testing/open-simulated.js'
import { Random } from '../testing/random.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'
import { createScopes } from './scopes.js'
import { createTextComparer } from './text-comparer.js'
import { turnFiles } from './turn-files.js'
import { filesForRewind } from './rewind-files.js'

it('perf', async () => {
  const T = Number(process.env['T'] ?? 2000), F = Number(process.env['F'] ?? 200)
  const random = new Random(1)
  const files: Record<string, string> = {}
  for (let i = 0; i < F; i++) files[`src/f${i}.ts`] = Array.from({ length: 100 }, (_, k) => `line ${k} of ${i}`).join('\n') + '\n'
  const agent = new SimulatedAgent(files, 1e9)
  for (let t = 0; t < T; t++) {
    agent.prompt(`prompt ${t}`)
    for (let k = 0; k < 3; k++) {
      const path = `src/f${random.below(F)}.ts`
      agent.read(path)
      const line = agent.shown(path)!.split('\n')[random.below(90)]!
      agent.edit(path, line + '\n', `changed ${t} ${k}\n`)
    }
    agent.shell('npm test', () => undefined)
    agent.reply()
  }
  let at = performance.now()
  const lap = (what: string): void => { console.log(what, Math.round(performance.now() - at)); at = performance.now() }
  const { contents, session } = await openAgent(agent, true)
  console.log('log MB', agent.log.text().length / 1e6)
  lap('save+open')
  const last = session.turns.at(-1)!.promptId
  await turnFiles(contents, last); lap('turnFiles last')
  await turnFiles(contents, session.turns[10]!.promptId); lap('turnFiles 10')
  for (let i = 0; i < 50; i++) await turnFiles(contents, session.turns[T - 2 - i]!.promptId); lap('50 turnFiles')
  await contents.pathsTouched(); lap('pathsTouched')
  const scopes = createScopes({ contents, disk: () => null, comparer: createTextComparer(null), readTurn: (p) => session.readTurn(p), operationFiles: () => [], marked: () => ({ byPath: new Map(), newestAt: null }), reviewOf: () => 'none', leftLast: async () => null })
  const list = await scopes.list({ kind: 'session' }); lap(`session scope ${list.length}`)
  await scopes.list({ kind: 'session' }); lap('session scope again')
  const rewind = await filesForRewind(contents, null, { kind: 'start', promptId: session.turns[T >> 1]!.promptId }, null); lap(`rewind files ${rewind.length}`)
  let n = 0
  for (const turn of session.turns.slice(0, 300)) n += (await scopes.list({ kind: 'turn', promptId: turn.promptId })).length
  lap(`300 turns listed ${n}`)
  console.log(Math.round(process.memoryUsage().rss / 1e6), 'MB rss', (await contents.contentAt({ kind: 'start', promptId: last }, workspacePath('src/f1.ts'))).content.state.kind)
}, 600000)
