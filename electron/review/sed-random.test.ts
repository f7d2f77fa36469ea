import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { openAgent, sha256Of } from '../testing/open-simulated.js'
import { Random } from '../testing/random.js'
import { SimulatedAgent, type SimFile } from '../testing/simulated-agent.js'
import type { Held } from './held.js'

/** Scripts, and what each makes of a line; bytes are characters here. */
const scripts: readonly (readonly [string, (line: string) => string])[] = [
  ['s/one/two/', (line) => line.replace('one', 'two')],
  ['s/two/one/g', (line) => line.replaceAll('two', 'one')],
  ['s/^one/two/', (line) => line.replace(/^one/, 'two')],
  ['s/one *$/two/', (line) => line.replace(/one *$/, 'two')],
  ['s/[ \\r]*$//', (line) => line.replace(/[ \r]*$/, '')],
  ['s/\\r$//', (line) => line.replace(/\r$/, '')],
  ['s/o/0/2', (line) => line.replace(/o(.*?)o/, 'o$10')],
  ['s/[a-z]\\{3\\}/x y/', (line) => line.replace(/[a-z]{3}/, 'x y')],
  ['s/zzz/y/', (line) => line.replace('zzz', 'y')],
  ['s/one/one/', (line) => line],
  ['s/two/one/;s/one/two/', (line) => line.replace('two', 'one').replace('one', 'two')],
]
const beginnings = ['one\n', 'one \ntwo\n', 'two two\r\none one\r\n', '\ufeffone\ntwo', 'two one', 'o one\r\n two\n', 'f\xfcr one\n', '']
const path = workspacePath('a.txt')

/** `SEED=n` tells one story again, `STORIES=n` tells more of them. */
const seeds = process.env['SEED'] ? [Number(process.env['SEED'])] : Array.from({ length: Number(process.env['STORIES'] ?? 60) }, (_, at) => at + 1)
const stats = { known: 0, all: 0 }

describe('what is known of a file that recorded sed commands change', () => {
  it.each(seeds)('is never false (seed %i)', async (seed) => {
    const random = new Random(seed)
    const begin = random.pick(beginnings)
    const agent = new SimulatedAgent({ [path]: begin.includes('\xfc') ? Buffer.from(begin, 'latin1') : begin })
    const ends: (SimFile | undefined)[] = []
    const now = (): string | undefined => agent.files.get(path)?.bytes.toString('latin1')
    const put = (text: string): void => agent.put(path, Buffer.from(text, 'latin1'))
    const lines = (change: (line: string) => string): string => (now() ?? '').split('\n').map(change).join('\n')
    const step = (): void => {
      const picked = Array.from({ length: random.chance(20) ? 2 : 1 }, () => random.pick(scripts))
      const command = picked.map(([script]) => `sed -i '${script}' ${path}`).join(' && ')
      const fails = random.chance(8)
      const run = (): void => picked.forEach(([, change]) => (fails && random.chance(50) ? undefined : put(lines(change))))
      switch (random.below(10)) {
        case 0:
        case 1:
        case 2:
          return agent.read(path)
        case 3: {
          const line = agent.shown(path)?.split('\n').find((each) => each.trim() !== '')
          return line === undefined ? undefined : agent.edit(path, line, random.pick([`${line} two`, 'one', 'one one ']))
        }
        case 4:
          return random.chance(30) ? agent.shell('npm run format', () => (random.chance(50) ? put(lines((line) => line.trimEnd())) : undefined)) : undefined
        case 5:
          return random.chance(30) ? agent.shell(`chmod 755 ${path}`, (disk) => disk.put(path, disk.files.get(path)?.bytes ?? '', { mode: 0o755 })) : undefined
        default:
          return agent.shell(command, run, { exitCode: fails ? 1 : 0 })
      }
    }
    for (let turn = 2 + random.below(4); turn > 0; turn--) {
      agent.prompt(`prompt ${turn}`)
      for (let count = random.below(5); count > 0; count--) step()
      ends.push(agent.files.get(path))
      // The user does by hand, in a part of the file, what the commands do. Blanks alone are seen by nobody before the first copy.
      const blanks = agent.trackedPaths().length > 0 ? ([[' \n', '\n'], ['\n', ' \n']] as const) : []
      if (random.chance(20)) {
        const [from, to] = random.pick([['one', 'two'], ['two', 'one'], ...blanks] as const)
        put((now() ?? '').replace(from, to))
      }
    }
    const { contents, session } = await openAgent(agent, random.chance(50))
    const faults: string[] = []
    const check = async (label: string, { content, source }: Held, truths: readonly (SimFile | undefined)[]): Promise<void> => {
      stats.all++
      const { state } = content
      if (state.kind === 'unknown') return
      stats.known++
      const bytes = state.kind === 'file' ? Buffer.from(await content.read()) : undefined
      const isReadable = state.kind !== 'file' || (bytes !== undefined && sha256Of(bytes) === state.sha256)
      const isTrue = truths.some((truth) => (state.kind === 'file' && truth ? bytes?.equals(truth.bytes) && (state.mode ?? truth.mode) === truth.mode : state.kind === 'absent' && !truth))
      if (!isReadable || !isTrue) faults.push(`${label} (${source}): ${JSON.stringify([bytes?.toString('latin1'), state])} but was ${JSON.stringify(truths[0]?.bytes.toString('latin1'))}`)
    }
    for (const [at, moment] of agent.moments.entries()) {
      const promptId = session.turns[at]?.promptId
      if (!promptId) continue
      await check(`start of ${at + 1}`, await contents.contentAt({ kind: 'start', promptId }, path), [moment.files.get(path)])
      const ended = await contents.endOf(promptId, path)
      // Where a command may have written last, what the user typed right after it cannot be told apart.
      const next = ended.by === 'next' ? [agent.moments[at + 1]?.files.get(path)] : []
      await check(`end of ${at + 1}`, ended.held, [ends[at], ...next])
    }
    expect(faults).toEqual([])
  })

  it('is more than a quarter of what there was', () => {
    expect(stats.known / stats.all).toBeGreaterThan(0.25)
    if (process.env['STORIES']) console.log(stats)
  })
})
