import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Random } from '../testing/random.js'
import { searchWorld, type SearchWorld } from '../testing/search-world.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'

const paths = ['a.txt', 'src/b.ts', 'src/deep/c.ts', 'new.txt']

/** A line of a file, and who wrote it: a turn's promptId with the call, or `user`. */
interface Line {
  readonly text: string
  readonly by: string
}

/** A session whose every line is another one, so that it is known who wrote what stands there. */
class Story {
  readonly agent: SimulatedAgent
  readonly files = new Map<string, Line[]>()
  private readonly starts = new Map<string, ReadonlyMap<string, Line[]>>()
  private words = 0
  private calls = 0

  constructor(
    private readonly random: Random,
    folder: string,
    /** With commands, line ends of all kinds and rewinds. */
    private readonly isWild = false,
  ) {
    for (const path of paths.slice(0, 3)) this.files.set(path, Array.from({ length: 3 + random.below(6) }, () => this.line('user')))
    this.agent = new SimulatedAgent(Object.fromEntries([...this.files].map(([path, lines]) => [path, textOf(lines)])), 100, folder)
  }

  tell(turns: number): void {
    for (let turn = 0; turn < turns; turn++) {
      const promptId = this.agent.prompt(`prompt ${turn}`)
      this.starts.set(promptId, new Map(this.files))
      for (let step = this.random.below(5); step > 0; step--) this.step(promptId)
      this.agent.reply()
      if (this.isWild && this.random.chance(15)) this.rewind()
      else if (this.random.chance(40)) this.type()
    }
  }

  private step(promptId: string): void {
    const { agent, random, files } = this
    const path = random.pick(paths)
    const lines = files.get(path)
    const by = `${promptId} call-${this.calls + 1}`
    if (this.isWild && random.chance(25)) return this.command(by)
    const outcome = random.pick(['done', 'done', 'done', 'failed', 'refused'] as const)
    if (random.chance(15)) {
      this.calls++
      return agent.shell('ls -la', () => undefined)
    }
    if (!lines || lines.length === 0 || random.chance(20)) {
      const kept = (lines ?? []).filter(() => random.chance(70))
      const written = this.changed(kept, by)
      if (textOf(written) === textOf(lines ?? [])) return
      this.calls++
      agent.write(path, textOf(written), { outcome })
      if (outcome === 'done') files.set(path, written)
      return
    }
    const from = random.below(lines.length)
    const old = lines.slice(from, from + 1 + random.below(2))
    const brought = random.chance(20) ? [] : this.changed(old.filter(() => random.chance(40)), by)
    if (textOf(old) === textOf(brought)) return
    this.calls++
    agent.edit(path, textOf(old), textOf(brought), { outcome })
    if (outcome === 'done') files.set(path, [...lines.slice(0, from), ...brought, ...lines.slice(from + old.length)])
  }

  private command(by: string): void {
    const { agent, random, files } = this
    const path = random.pick([...files.keys()])
    const lines = files.get(path) ?? []
    this.calls++
    if (random.chance(30)) return agent.shell('npm test', () => undefined)
    const more = this.line(by)
    const [written, command] = random.pick([
      [[...lines, more], `cat >> ${path} <<'EOF'\n${more.text}\nEOF`],
      [this.changed(lines, by), 'npm run format'],
      [this.changed(lines, by), `./generate.sh > ${path}`],
    ] as const)
    files.set(path, [...written])
    agent.shell(command, (disk) => disk.put(path, textOf(written)))
  }

  /** Takes back some turns; what it does to files is what the recorder does. */
  private rewind(): void {
    const targets = this.agent.rewindTargets()
    if (targets.length < 2) return
    const target = this.random.pick(targets.slice(-2))
    const tracked = this.agent.trackedPaths()
    this.agent.rewind(target)
    const lines = this.starts.get(target) ?? new Map<string, Line[]>()
    for (const path of tracked) {
      const text = this.agent.text(path)
      if (text === null) this.files.delete(path)
      else this.files.set(path, this.known(text, [...(lines.get(path) ?? []), ...(this.files.get(path) ?? [])]))
    }
  }

  /** The lines of a text, each as one of those that are known. */
  private known(text: string, lines: readonly Line[]): Line[] {
    return text.split('\n').slice(0, -1).map((each) => lines.find((line) => line.text === each) ?? { text: each, by: '?' })
  }

  /** Somebody types into a file that the recorder looks at before the next prompt. */
  private type(): void {
    const { agent, random, files } = this
    const tracked = agent.trackedPaths().filter((path) => files.has(path))
    if (tracked.length === 0) return
    const path = random.pick(tracked)
    const lines = this.changed(files.get(path) ?? [], 'user')
    files.set(path, lines)
    agent.put(path, textOf(lines))
  }

  private changed(lines: readonly Line[], by: string): Line[] {
    const at = this.random.below(lines.length + 1)
    return [...lines.slice(0, at), ...Array.from({ length: 1 + this.random.below(3) }, () => this.line(by)), ...lines.slice(at)]
  }

  private line(by: string): Line {
    return { text: `line ${++this.words}`, by }
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join('')
}

/** `SEED=n` tells one story again, `STORIES=n` tells more of them. */
const seeds = process.env['SEED'] ? [Number(process.env['SEED'])] : Array.from({ length: Number(process.env['STORIES'] ?? 5) }, (_, at) => at + 1)

/** What is told of each line, and what is true. */
async function asked(story: Story, world: SearchWorld): Promise<{ readonly told: readonly string[]; readonly truth: readonly string[] }> {
  await story.agent.save(world.home)
  for (const [path, lines] of story.files) {
    const file = join(world.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, textOf(lines))
  }
  const { search } = await world.search()
  const [told, truth]: [string[], string[]] = [[], []]
  for (const [path, lines] of story.files) {
    for (const [at, { text, by }] of lines.entries()) {
      const answer = await search.why(join(world.folder, path), at + 1)
      truth.push(`${path}:${at + 1} ${text} ${by}`)
      told.push(`${path}:${at + 1} ${answer.line} ${answer.kind === 'written' ? `${answer.promptId} ${answer.callId}` : 'user'}`)
    }
  }
  return { told, truth }
}

describe('why a line is there, in random sessions', () => {
  it.each(seeds)('names the turn and call that wrote it, and none for what was typed (seed %i)', async (seed) => {
    const world = searchWorld()
    const story = new Story(new Random(seed), world.folder)
    story.tell(3 + new Random(seed).below(5))
    const { told, truth } = await asked(story, world)
    expect([seed, told]).toEqual([seed, truth])
  })

  it.each(seeds)('names no turn or call that did not write it, whatever commands and rewinds did (seed %i)', async (seed) => {
    const world = searchWorld()
    const story = new Story(new Random(seed), world.folder, true)
    story.tell(3 + new Random(seed).below(5))
    const { told, truth } = await asked(story, world)
    const wrong = told.filter((each, at) => !each.endsWith(' user') && each !== truth[at] && !(each.endsWith(' null') && truth[at]?.startsWith(each.slice(0, -5))))
    expect([seed, wrong]).toEqual([seed, []])
  })
})
