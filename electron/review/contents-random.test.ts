import { describe, expect, it } from 'vitest'
import type { FileState } from '../../shared/file-state.js'
import { workspacePath } from '../../shared/ids.js'
import { openAgent, sha256Of } from '../testing/open-simulated.js'
import { Random } from '../testing/random.js'
import { SimulatedAgent, type SimFile } from '../testing/simulated-agent.js'
import type { Held } from './held.js'

const paths = ['a.txt', 'b.txt', 'src/c.ts', 'src/d.ts', 'crlf.txt', 'bom.txt', 'latin1.txt', 'mixed.txt', 'long.txt', 'run.sh', 'src/new.ts', 'new.txt']
const oldTime = 1

/** Scripts, and what each makes of a line; bytes are characters here. */
const sedScripts: readonly (readonly [string, (line: string) => string])[] = [
  ['s/e/E/', (line) => line.replace('e', 'E')],
  ['s/w/e/g', (line) => line.replaceAll('w', 'e')],
  ['s/o/oo/2', (line) => line.replace(/o(.*?)o/, 'o$1oo')],
  ['s/[0-9]*$//', (line) => line.replace(/[0-9]*$/, '')],
  ['s/[ \\r]*$//', (line) => line.replace(/[ \r]*$/, '')],
  ['s/w/w/g', (line) => line],
  ['s/^b/B/;s/B/b/', (line) => line.replace(/^b/, 'B').replace('B', 'b')],
]

/** What the folder held when each turn ended, before anybody else typed. */
type Ends = Map<string, ReadonlyMap<string, SimFile>>

class Story {
  readonly agent: SimulatedAgent
  readonly ends: Ends = new Map()
  private words = 0
  private current = ''

  constructor(private readonly random: Random) {
    const long = Array.from({ length: 1200 }, (_, at) => `line ${at} of a long text`).join('\n')
    const files = {
      'a.txt': 'alpha\nbeta\n',
      'b.txt': 'BRAVO\nbeta\n',
      'src/c.ts': 'one\ntwo  \nthree',
      'src/d.ts': '',
      'crlf.txt': 'one\r\ntwo\r\n',
      'bom.txt': '\ufeffone\ntwo\n',
      'latin1.txt': Buffer.from('caf\xe9 = 1\n', 'latin1'),
      'mixed.txt': 'one\r\ntwo\nthree\n',
      'long.txt': `${long}\n`,
      'run.sh': 'echo one\n',
    }
    this.agent = new SimulatedAgent(files, random.chance(30) ? 3 : 100)
  }

  tell(turns: number): void {
    let hasSnapshot = true
    for (let turn = 0; turn < turns; turn++) {
      const nextHas = !this.random.chance(8)
      this.current = this.agent.prompt(`prompt ${turn}`, hasSnapshot)
      for (let step = this.random.below(6); step > 0; step--) this.step()
      if (this.random.chance(80)) this.agent.reply()
      this.ends.set(this.current, new Map(this.agent.files))
      this.between(hasSnapshot && nextHas)
      hasSnapshot = nextHas
    }
  }

  private step(): void {
    const { agent, random } = this
    const path = random.pick(paths)
    const file = agent.files.get(path)
    switch (random.below(12)) {
      case 0:
      case 1:
        return agent.read(path)
      case 2:
      case 3:
      case 4:
        return this.edit(path)
      case 5:
        return agent.write(path, this.word() + random.pick(['\n', '', '\nmore\n']), { outcome: random.pick(['done', 'done', 'done', 'failed', 'refused', 'unanswered']) })
      case 6:
        return file && file.bytes.includes('o') ? agent.sed(path, 'o', '0') : undefined
      case 7:
      case 8:
        return this.named(path)
      default:
        return this.hidden()
    }
  }

  private edit(path: string): void {
    const line = this.agent.shown(path)?.split('\n').find((each) => each.trim() !== '')
    const outcome = this.random.pick(['done', 'done', 'done', 'failed', 'refused'] as const)
    if (line === undefined) this.agent.write(path, `${this.word()}\n`, { outcome })
    else this.agent.edit(path, line, this.random.chance(20) ? `${this.word()}\nand more` : this.word(line.length), { outcome })
  }

  /** Commands whose text names what they change. */
  private named(path: string): void {
    const { agent, random } = this
    const other = random.pick(paths)
    const source = agent.files.get(other)
    const text = `${this.word()}\n`
    const fails = random.chance(15)
    const options = { exitCode: fails ? 1 : 0 }
    const run = (command: string, effect: (disk: SimulatedAgent) => void): void => agent.shell(command, fails && random.chance(50) ? () => undefined : effect, options)
    switch (random.below(9)) {
      case 0:
        return run(`rm -f ${path}`, (disk) => disk.remove(path))
      case 1:
        return run(`cat > ${path} <<'EOF'\n${text}EOF`, (disk) => disk.put(path, text))
      case 2:
        return run(`printf 'x\\n' >> ${path} && ls`, (disk) => disk.put(path, Buffer.concat([disk.files.get(path)?.bytes ?? Buffer.alloc(0), Buffer.from('x\n')])))
      case 3:
        return source ? run(`cp -p ${other} ${path}`, (disk) => disk.put(path, source.bytes, { mtime: source.mtime, mode: source.mode })) : undefined
      case 4:
        return source && path !== other
          ? run(`mv ${other} ${path}`, (disk) => {
              disk.put(path, source.bytes, { mtime: source.mtime, mode: source.mode })
              disk.remove(other)
            })
          : undefined
      case 5:
        return run(`touch ${path}`, (disk) => disk.put(path, disk.files.get(path)?.bytes ?? ''))
      case 6:
        return run(`chmod 755 ${path}`, (disk) => this.again(disk, path, { mode: 0o755 }))
      case 7:
        return this.seds(path, run)
      default:
        return run('rm -rf src', (disk) => [...disk.files.keys()].filter((each) => each.startsWith('src/')).forEach((each) => disk.remove(each)))
    }
  }

  /** A sed with each kind of effect that is told apart, and two in one command. */
  private seds(path: string, run: (command: string, effect: (disk: SimulatedAgent) => void) => void): void {
    if (!this.agent.files.has(path)) return
    const picked = Array.from({ length: this.random.chance(25) ? 2 : 1 }, () => this.random.pick(sedScripts))
    run(picked.map(([script]) => `sed -i '${script}' ${path}`).join(' && '), (disk) => {
      for (const [, change] of picked) this.again(disk, path, {}, (bytes) => Buffer.from(bytes.toString('latin1').split('\n').map(change).join('\n'), 'latin1'))
    })
  }

  /** Commands that do not tell what they change; what each may do is what is believed of it. */
  private hidden(): void {
    const { agent, random } = this
    const path = random.pick(paths)
    const put = (disk: SimulatedAgent, mtime?: number): void => {
      const size = disk.files.get(path)?.bytes.length ?? 6
      disk.put(path, random.chance(60) ? this.word(size) : `${this.word()}\n`, mtime === undefined ? {} : { mtime })
    }
    switch (random.below(7)) {
      case 0:
        return agent.shell('npm test', (disk) => (random.chance(30) ? put(disk) : undefined))
      case 1:
        return agent.shell('npx prettier --write .', (disk) => this.again(disk, path, {}, (bytes) => Buffer.from(bytes.toString('latin1').replace(/[ \r]+\n/g, '\n'), 'latin1')))
      case 2:
        return agent.shell("python3 - <<'EOF'\nopen('x', 'w').write('y')\nEOF", (disk) => (random.chance(50) ? put(disk) : undefined))
      case 3:
        return agent.shell('./restore.sh', (disk) => (random.chance(60) ? put(disk, random.chance(70) ? oldTime : undefined) : disk.remove(path)))
      case 4:
        return agent.shell('git checkout -- .', (disk) => (random.chance(50) ? put(disk) : disk.remove(path)))
      case 5:
        return agent.tool('mcp__files__write', { path }, (disk) => put(disk, oldTime))
      default:
        return agent.shell('ls -la && git status', () => undefined)
    }
  }

  private again(disk: SimulatedAgent, path: string, options: { readonly mode?: number }, change = (bytes: Buffer): Buffer => bytes): void {
    const file = disk.files.get(path)
    if (file) disk.put(path, change(file.bytes), options)
  }

  /**
   * The user types in files of which the recorder takes a copy before and after, goes back, or starts the agent anew. No log can
   * show what is typed elsewhere.
   */
  private between(isWatched: boolean): void {
    const { agent, random } = this
    if (random.chance(5)) agent.resume()
    const targets = agent.rewindTargets()
    if (targets.length > 1 && random.chance(12)) return agent.rewind(random.pick(targets.slice(-3)), random.chance(70))
    const tracked = isWatched ? agent.trackedPaths() : []
    if (tracked.length > 0 && random.chance(25)) agent.put(random.pick(tracked), `${this.word()}\n`)
    if (tracked.length > 0 && random.chance(5)) agent.remove(random.pick(tracked))
  }

  private word(length = 0): string {
    return `w${(this.words++).toString(36)}`.padEnd(length, '.')
  }
}

/** `SEED=n` tells one story again, `STORIES=n` tells more of them. */
const seeds = process.env['SEED'] ? [Number(process.env['SEED'])] : Array.from({ length: Number(process.env['STORIES'] ?? 60) }, (_, at) => at + 1)

describe('what is known of random sessions', () => {
  it.each(seeds)('holds no false content (seed %i)', async (seed) => {
    const random = new Random(seed)
    const story = new Story(random)
    story.tell(3 + random.below(8))
    const isAttached = random.chance(50)
    const opened = await openAgent(story.agent, isAttached)
    const { contents, session } = opened
    expect(session.turns.map((turn) => turn.promptId).length).toBe(story.agent.moments.length)
    const faults: string[] = []
    let knownCount = 0
    const check = async (label: string, held: Held, path: string, truths: readonly (SimFile | undefined)[]): Promise<void> => {
      const { content, source } = held
      const { state } = content
      if (state.kind === 'unknown') return
      knownCount++
      const isReadable = state.kind !== 'file' || sha256Of(await content.read()) === state.sha256
      if (!isReadable || !truths.some((truth) => isTrue(state, truth))) faults.push(`${label} ${path} (${source}): ${JSON.stringify(state)} but was ${shown(truths[0])}${isReadable ? '' : ', unreadable'}`)
    }
    for (const [at, moment] of story.agent.moments.entries()) {
      const promptId = session.turns[at]?.promptId
      if (!promptId) continue
      for (const path of paths.map(workspacePath)) {
        await check(`start of ${at + 1}`, await contents.contentAt({ kind: 'start', promptId }, path), path, [moment.files.get(path)])
        const ended = await contents.endOf(promptId, path)
        // Where a command may have written last, what the user typed right after it cannot be told apart.
        const next = ended.by === 'next' ? [story.agent.moments[at + 1]?.files.get(path)] : []
        await check(`end of ${at + 1}`, ended.held, path, [story.ends.get(moment.promptId)?.get(path), ...next])
      }
    }
    expect(faults).toEqual([])
    stats.known += knownCount
    stats.all += story.agent.moments.length * paths.length * 2
  })

  it('is more than a tenth of what there was, although every other step hides something', () => {
    expect(stats.known / stats.all).toBeGreaterThan(0.1)
  })
})

const stats = { known: 0, all: 0 }

function isTrue(state: FileState, truth: SimFile | undefined): boolean {
  if (state.kind === 'absent') return truth === undefined
  return state.kind === 'file' && truth !== undefined && state.sha256 === sha256Of(truth.bytes) && (state.mode === null || state.mode === truth.mode)
}

function shown(truth: SimFile | undefined): string {
  return truth ? `${truth.mode.toString(8)} ${JSON.stringify(truth.bytes.toString('latin1').slice(0, 60))}` : 'absent'
}
