import { describe, expect, it } from 'vitest'
import { workspacePath, type PromptId } from '../../shared/ids.js'
import { Random } from '../testing/random.js'
import { liveSession, type LiveSession } from '../testing/live-session.js'
import type { TestContent } from '../testing/temp-history.js'
import type { OpenedSession } from './opened-session.js'

const paths = ['a.txt', 'b.txt', 'src/c.ts', 'src/deep/d.ts', 'run.sh', 'blob.bin', 'to', 'notes.md', 'src/new.ts', 'x y.txt']

/** What every file was, kept beside the session and never read from it: `<mode> <bytes>` or `link <target>`. */
type Truth = Readonly<Record<string, string>>

interface ToldTurn {
  readonly promptId: PromptId
  readonly start: Truth
  end: Truth
  /** Changed in this turn by the agent. */
  readonly byAgent: Set<string>
  /** How many changes there were when it began. */
  readonly changes: number
}

interface ToldChange {
  readonly path: string
  readonly isAgents: boolean
  readonly before: string | undefined
  readonly after: string | undefined
}

class Story {
  readonly turns: ToldTurn[] = []
  readonly changes: ToldChange[] = []
  private noted: Truth = {}
  private readonly now = new Map<string, string>()
  private words = 0

  constructor(
    readonly live: LiveSession,
    private readonly random: Random,
  ) {}

  truth(): Truth {
    return Object.fromEntries([...this.now].sort(([one], [two]) => (one < two ? -1 : 1)))
  }

  async tell(turns: number): Promise<void> {
    const { live, random } = this
    for (let turn = 0; turn < turns; turn++) {
      if (random.chance(50)) this.type()
      if (random.chance(10)) await live.restart()
      const promptId = await live.turn(`prompt ${turn}`)
      this.settle(false)
      const start = this.truth()
      const told: ToldTurn = { promptId, start, end: start, byAgent: new Set(), changes: this.changes.length }
      this.turns.push(told)
      for (let step = random.below(5); step > 0; step--) {
        if (random.chance(20)) this.type()
        await this.step(told)
      }
    }
  }

  /** What would stand at a path had the agent left it alone since a turn began, and what the first change that does not fit was made to. */
  withoutAgent(turn: number, path: string, last = this.turns.length - 1): { readonly held: string | undefined; readonly clash: string | null | undefined } {
    const { turns, changes } = this
    const first = turns[turn]?.start[path]
    const since = changes.map((change, at) => ({ ...change, at })).filter((change) => change.path === path && change.at >= (turns[turn]?.changes ?? 0) && change.at < (turns[last + 1]?.changes ?? Infinity))
    const lastOfAgent = since.findLast(({ isAgents }) => isAgents)?.at ?? -1
    let held = first
    for (const { isAgents, before, after, at } of since) {
      if (isAgents || (at > lastOfAgent && at >= (turns[last]?.changes ?? 0))) continue
      if (held === before) held = after
      else if (held !== after) return { held: held ?? first, clash: before ?? null }
    }
    return { held: held ?? first, clash: undefined }
  }

  /** What changed since the last look is somebody's. */
  private settle(isAgents: boolean): void {
    const now = this.truth()
    for (const path of paths) if (this.noted[path] !== now[path]) this.changes.push({ path, isAgents, before: this.noted[path], after: now[path] })
    this.noted = now
  }

  /** Somebody else changes a file or two. */
  private type(): void {
    for (let count = 1 + this.random.below(2); count > 0; count--) {
      const path = this.random.pick(paths)
      this.put(path, this.content())
    }
  }

  private async step(told: ToldTurn): Promise<void> {
    const { live, random } = this
    const chosen = [...new Set(Array.from({ length: 1 + random.below(3) }, () => random.pick(paths)))]
    const contents = Object.fromEntries(chosen.map((path) => [path, this.content()] as const))
    const before = this.truth()
    if (random.chance(10)) return live.refuse('write_file', { path: chosen[0], content: 'no' }, 'No.')
    this.settle(false)
    if (random.chance(50)) {
      await live.edit(contents)
      for (const path of chosen) this.note(path, contents[path] ?? null)
    } else {
      await live.command('make', () => chosen.forEach((path) => this.put(path, contents[path] ?? null)))
    }
    this.settle(true)
    const after = this.truth()
    for (const path of chosen) {
      if (before[path] === after[path]) continue
      told.byAgent.add(path)
      // A turn ends with what the agent left: only what was typed before its last touch of a file is part of it.
      const { [path]: _, ...others } = told.end
      const content = after[path]
      told.end = content === undefined ? others : { ...others, [path]: content }
    }
  }

  private put(path: string, content: TestContent): void {
    this.live.temp.put(path, content)
    this.note(path, content)
  }

  private note(path: string, content: TestContent): void {
    if (content === null) this.now.delete(path)
    else if (typeof content === 'string') this.now.set(path, `644 ${content}`)
    else if ('link' in content) this.now.set(path, `link ${content.link}`)
    else if ('bytes' in content) this.now.set(path, `644 ${Buffer.from(content.bytes).toString('latin1')}`)
    else if ('text' in content) this.now.set(path, `${content.mode.toString(8)} ${content.text}`)
  }

  private content(): TestContent {
    const word = `word ${++this.words}\n`
    switch (this.random.below(8)) {
      case 0:
        return null
      case 1:
        return { link: this.random.pick(paths) }
      case 2:
        return { bytes: Buffer.from([0, this.random.below(256), 255, this.words % 256]) }
      case 3:
        return { text: word, mode: 0o755 }
      case 4:
        return 'one of few\n'
      default:
        return word
    }
  }
}

async function seen(review: OpenedSession, kind: 'start' | 'end', promptId: PromptId, path: string): Promise<string | null> {
  const { content } = await review.contentAt({ kind, promptId }, workspacePath(path))
  const { state } = content
  if (state.kind === 'file') return `${(state.mode ?? 0).toString(8)} ${Buffer.from(await content.read()).toString('latin1')}`
  if (state.kind === 'link') return `link ${state.target}`
  // The story notes files alone; a folder that a command left empty is none.
  return state.kind === 'absent' || state.kind === 'folder' ? null : `? ${state.kind}`
}

const filesOf = (tree: Readonly<Record<string, string>>): Truth => Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('/')))

describe('any session that runs under us', () => {
  const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6))
  const sessions = Number(process.env['SESSIONS'] ?? 20)

  it(`is known at every moment and goes back to any turn (SEED=${seed})`, async () => {
    const wrong: string[] = []
    let asked = 0
    for (let session = 0; session < sessions; session++) {
      const random = new Random(seed + session)
      const live = await liveSession()
      try {
        const story = new Story(live, random)
        await story.tell(2 + random.below(4))
        const { review, recorded, history } = await live.review()
        const known = [...((await recorded.ledger?.pages())?.paths ?? [])]
        for (const { promptId, start, end, byAgent } of story.turns) {
          for (const path of known) {
            asked += 2
            const [first, last] = [await seen(review, 'start', promptId, path), await seen(review, 'end', promptId, path)]
            if (first !== (start[path] ?? null)) wrong.push(`${seed + session} start ${promptId.slice(-1)} ${path}: ${first} for ${start[path]}`)
            if (last !== (end[path] ?? null)) wrong.push(`${seed + session} end ${promptId.slice(-1)} ${path}: ${last} for ${end[path]}`)
          }
          const listed = (await review.list({ kind: 'turn', promptId })).filter(({ kind }) => kind !== 'refused').map(({ path }) => path as string)
          const turn = story.turns.findIndex((told) => told.promptId === promptId)
          const changed = [...byAgent].filter((path) => story.withoutAgent(turn, path, turn).held !== end[path]).sort()
          if (JSON.stringify(listed) !== JSON.stringify(changed)) wrong.push(`${seed + session} turn ${promptId.slice(-1)}: ${listed.join()} for ${changed.join()}`)
        }
        const atEnd = story.truth()
        const left = story.turns.at(-1)?.end ?? {}
        const at = random.below(story.turns.length)
        for (const { promptId, start } of story.turns.slice(at, at + 1)) {
          const since = new Set(story.turns.slice(at).flatMap(({ byAgent }) => [...byAgent]))
          const expected: Record<string, string> = {}
          for (const path of paths) {
            // What the agent did goes back, but not over what others typed; what is gone comes back, whoever deleted it.
            const { held, clash } = since.has(path) ? story.withoutAgent(at, path) : { held: start[path], clash: undefined }
            const base = clash === undefined ? left[path] : (clash ?? undefined)
            const goesBack = atEnd[path] === undefined || (since.has(path) && base === atEnd[path])
            const content = goesBack ? held : atEnd[path]
            if (content !== undefined) expected[path] = content
          }
          await history.apply(await review.rewindTo({ kind: 'start', promptId }, { paths: null, resolutions: {} }), null)
          const back = filesOf(live.temp.tree())
          if (!isSameTree(back, expected)) wrong.push(`${seed + session} rewind ${at + 1}: ${JSON.stringify(back)} for ${JSON.stringify(expected)}`)
          if (!isSameTree(back, atEnd)) await history.undo(null)
          if (!isSameTree(filesOf(live.temp.tree()), atEnd)) wrong.push(`${seed + session} undo ${at + 1}`)
        }
      } finally {
        live.dispose()
      }
    }
    expect([wrong, asked > sessions * 10]).toEqual([[], true])
  })
})

function isSameTree(one: Truth, two: Truth): boolean {
  const paths = new Set([...Object.keys(one), ...Object.keys(two)])
  return [...paths].every((path) => one[path] === two[path])
}
