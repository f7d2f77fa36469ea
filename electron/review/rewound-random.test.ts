import { describe, expect, it } from 'vitest'
import type { PromptId } from '../../shared/ids.js'
import { liveSession, type LiveSession } from '../testing/live-session.js'
import { Random } from '../testing/random.js'

const paths = ['a.txt', 'src/b.txt']
const slots = 8

/** The lines of a file that somebody changes: even ones a person, odd ones the agent. */
type Lines = readonly string[]

const isPersons = (slot: number): boolean => slot % 2 === 0
const textOf = (lines: Lines): string => lines.map((line, at) => `= ${at} =\n${line}\n\n`).join('')
const linesOf = (text: string): Lines => [...text.matchAll(/^= \d+ =\n(.*)\n\n/gm)].map(([, line]) => line ?? '')

interface Told {
  readonly promptId: PromptId
  readonly start: Readonly<Record<string, Lines>>
  /** Lines that the agent changed in it. */
  readonly changed: Set<string>
}

class Story {
  readonly turns: Told[] = []
  readonly wrong: string[] = []
  readonly done: Record<string, number> = {}
  left = 0
  private typed: Record<string, string[]> = {}
  /** Lines whose change was taken back, with the turn that ran then: that choice counts as the person's. */
  private readonly takenBack = new Map<string, number>()
  private words = 0

  constructor(
    readonly live: LiveSession,
    private readonly random: Random,
    private readonly name: string,
  ) {
    for (const path of paths) this.typed[path] = [...this.lines(path)]
  }

  async tell(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      await this.operate()
      const start = Object.fromEntries(paths.map((path) => [path, this.lines(path)]))
      this.turns.push({ promptId: await this.live.turn(`prompt ${turn}`), start, changed: new Set() })
      for (let step = this.random.below(4); step > 0; step--) {
        await this.edit()
        await this.operate()
      }
    }
  }

  private lines(path: string): Lines {
    return linesOf((this.live.temp.tree()[path] ?? '').replace(/^\d+ /, ''))
  }

  private async edit(): Promise<void> {
    const path = this.random.pick(paths)
    const slot = 1 + 2 * this.random.below(slots / 2)
    const line = `agent ${++this.words}`
    const text = textOf(this.lines(path).map((each, at) => (at === slot ? line : each)))
    if (this.random.chance(30)) await this.live.command('make', () => this.live.temp.put(path, text))
    else await this.live.edit({ [path]: text })
    this.turns.at(-1)?.changed.add(`${path} ${slot}`)
  }

  private type(): void {
    const path = this.random.pick(paths)
    const slot = 2 * this.random.below(slots / 2)
    const typed = this.typed[path] ?? []
    typed[slot] = `typed ${++this.words}`
    this.live.temp.put(path, textOf(this.lines(path).map((each, at) => (at === slot ? (typed[slot] ?? '') : each))))
  }

  /** A person types, rewinds, undoes, redoes and takes back as they like. */
  private async operate(): Promise<void> {
    for (let count = this.random.below(4); count > 0; count--) {
      if (this.random.chance(50)) this.type()
      if (this.turns.length > 0 && this.random.chance(60)) await this.operation()
    }
  }

  private async operation(): Promise<void> {
    const { random, live } = this
    const { review, history } = await live.review()
    const before = live.temp.tree()
    const kind = random.pick(['rewind', 'rewind', 'rewind', 'undo', 'redo', 'take-back'] as const)
    const turn = random.below(this.turns.length)
    const told = this.turns[turn]
    if (!told) return
    if (kind === 'rewind') {
      const receipt = await history.apply(await review.rewindTo({ kind: 'start', promptId: told.promptId }, { paths: null, resolutions: {} }), null)
      for (const path of paths) this.judge(path, turn, receipt.files.find((file) => file.path === path)?.result === 'left', before)
    } else if (kind === 'take-back') {
      const path = random.pick(paths)
      const lines = this.lines(path)
      const hasWorked = await review.takeBackOf(told.promptId, path as never, 1 + random.below(2)).then(async (request) => {
        const { planHash, fits } = await history.previewTakeBack(request)
        if (fits) await history.takeBack(request, planHash)
        return fits
      }).catch(() => false)
      if (hasWorked) this.lines(path).forEach((line, slot) => line !== lines[slot] && this.takenBack.set(`${path} ${slot}`, this.turns.length - 1))
    } else {
      await history[kind](null).catch(() => undefined)
    }
    for (const path of paths) {
      this.lines(path).forEach((line, slot) => {
        if (isPersons(slot) && line !== this.typed[path]?.[slot]) this.wrong.push(`${this.name} ${kind}: ${path} ${slot}: ${line} for ${this.typed[path]?.[slot]}`)
      })
    }
    this.done[kind] = (this.done[kind] ?? 0) + 1
  }

  /** The agent's lines are what they were as the turn began. */
  private judge(path: string, turn: number, isLeft: boolean, before: Readonly<Record<string, string>>): void {
    const isTakenBack = (slot: number): boolean => (this.takenBack.get(`${path} ${slot}`) ?? -1) >= turn - 1
    // A question costs an answer and no work; that they are rare is told by their count.
    if (isLeft) {
      this.left++
      return this.lines(path).join() === linesOf((before[path] ?? '').replace(/^\d+ /, '')).join() ? undefined : void this.wrong.push(`${this.name} rewind ${turn + 1}: ${path} changed, though left`)
    }
    const start = this.turns[turn]?.start[path] ?? []
    this.lines(path).forEach((line, slot) => {
      if (!isPersons(slot) && line !== start[slot] && !isTakenBack(slot)) this.wrong.push(`${this.name} rewind ${turn + 1}: ${path} ${slot}: ${line} for ${start[slot]}`)
    })
  }
}

describe('a session in which a person rewinds, undoes and takes back', () => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))
  const sessions = Number(process.env['SESSIONS'] ?? 10)

  it(`loses no typed line, and keeps none of the agent's as typed (SEED=${seed})`, async () => {
    const wrong: string[] = []
    const done: Record<string, number> = {}
    let left = 0
    for (let session = 0; session < sessions; session++) {
      const text = textOf(Array.from({ length: slots }, (_, slot) => `line ${slot}`))
      const live = await liveSession(Object.fromEntries(paths.map((path) => [path, text])))
      try {
        const story = new Story(live, new Random(seed + session), `${seed + session}`)
        await story.tell(4)
        wrong.push(...story.wrong)
        left += story.left
        for (const [kind, count] of Object.entries(story.done)) done[kind] = (done[kind] ?? 0) + count
      } finally {
        live.dispose()
      }
    }
    expect([wrong, (done['rewind'] ?? 0) > sessions, left < sessions]).toEqual([[], true, true])
  })
})
