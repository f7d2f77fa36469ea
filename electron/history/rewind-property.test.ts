import { afterAll, describe, expect, it } from 'vitest'
import type { SessionHistory } from './session-history.js'
import { Random } from '../testing/random.js'
import { rewindOf, tempHistory, type FileCase, type TempHistory, type TestContent } from '../testing/temp-history.js'

/** What a path can be. A text has a part that the agent edits (`a`), one that the user edits (`b`), and three lines between. */
type State =
  | { readonly kind: 'absent' }
  | { readonly kind: 'link'; readonly to: string }
  | { readonly kind: 'binary'; readonly value: number; readonly mode: number }
  | { readonly kind: 'text'; readonly a: number; readonly b: number; readonly crlf: boolean; readonly bom: boolean; readonly mode: number }
type Tree = Readonly<Record<string, State>>

const paths = ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/deep/d.bin', 'Größe/e f.md', 'g', 'h/i/j']
const absent: State = { kind: 'absent' }
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const scenarios = Number(process.env['SCENARIOS'] ?? 40)

class Dice extends Random {
  #serial = 0
  /** Never the same number twice. */
  fresh(): number {
    return ++this.#serial
  }
  mode(): number {
    return this.pick([0o644, 0o755, 0o600])
  }
}

function agentEdit(dice: Dice, state: State): State {
  if (dice.chance(20)) return absent
  if (dice.chance(10)) return { kind: 'link', to: `../target ${dice.fresh()}` }
  if (dice.chance(20)) return { kind: 'binary', value: dice.fresh(), mode: dice.mode() }
  if (state.kind === 'text') {
    return { ...state, a: dice.fresh(), crlf: dice.chance(10) ? !state.crlf : state.crlf, bom: dice.chance(10) ? !state.bom : state.bom, mode: dice.chance(20) ? dice.mode() : state.mode }
  }
  return { kind: 'text', a: dice.fresh(), b: dice.fresh(), crlf: dice.chance(30), bom: dice.chance(20), mode: dice.mode() }
}

function userEdit(dice: Dice, state: State): State {
  if (state.kind === 'text') {
    if (dice.chance(15)) return { ...state, a: dice.fresh() }
    return dice.chance(15) ? { ...state, mode: dice.mode() } : { ...state, b: dice.fresh() }
  }
  if (state.kind === 'binary') return { ...state, value: dice.fresh() }
  return dice.chance(50) ? state : agentEdit(dice, state)
}

function contentOf(state: State): TestContent {
  switch (state.kind) {
    case 'absent':
      return null
    case 'link':
      return { link: state.to }
    case 'binary':
      return Object.assign({ bytes: Uint8Array.from([0, state.value >> 8, state.value & 255, 255]) }, { mode: state.mode })
    case 'text': {
      const text = `agent ${state.a}\nkeep\nthese\nlines ✓\nuser ${state.b}\n`
      return { text: (state.bom ? '\ufeff' : '') + (state.crlf ? text.replaceAll('\n', '\r\n') : text), mode: state.mode }
    }
  }
}

function shown(tree: Tree): Record<string, string> {
  const entries = Object.entries(tree).map(([path, state]) => {
    const content = contentOf(state)
    if (content === null) return null
    if (typeof content === 'object' && 'link' in content) return [path, `link ${content.link}`] as const
    const mode = state.kind === 'text' || state.kind === 'binary' ? state.mode.toString(8) : ''
    const bytes = typeof content === 'object' && 'bytes' in content ? Buffer.from(content.bytes) : Buffer.from(typeof content === 'object' && 'text' in content ? content.text : '')
    return [path, `${mode} ${bytes.toString('latin1')}`] as const
  })
  return Object.fromEntries(entries.filter((entry) => entry !== null))
}

function isSame(one: State, two: State): boolean {
  const bare = (state: State): string => JSON.stringify(state.kind === 'text' || state.kind === 'binary' ? { ...state, mode: 0 } : state)
  return bare(one) === bare(two)
}

/** What must stand there afterwards, and whether the file was left in a conflict. */
function expected(base: State, disk: State, target: State): { readonly state: State; readonly isOpen: boolean } {
  const modeOf = (state: State): number | null => ('mode' in state ? state.mode : null)
  const [mine, left] = [modeOf(disk), modeOf(base)]
  // A mode that only the user changed stays, like a line of theirs.
  const withMode = (state: State): State => {
    const mode = mine !== null && left === modeOf(target) ? mine : modeOf(target)
    return mode !== null && 'mode' in state ? { ...state, mode } : state
  }
  if (isSame(disk, target)) return { state: withMode(disk), isOpen: false }
  if (disk.kind === 'absent' || isSame(disk, base)) return { state: withMode(target), isOpen: false }
  if (isSame(base, target)) return { state: disk, isOpen: false }
  if (base.kind !== 'text' || disk.kind !== 'text' || target.kind !== 'text') return { state: disk, isOpen: true }
  const three = <Value>(of: (state: State & { kind: 'text' }) => Value): Value => (of(disk) === of(base) ? of(target) : of(disk))
  const hasClash = (['a', 'b'] as const).some((part) => new Set([base[part], disk[part], target[part]]).size === 3)
  if (hasClash) return { state: disk, isOpen: true }
  return { state: withMode({ kind: 'text', a: three((s) => s.a), b: three((s) => s.b), crlf: three((s) => s.crlf), bom: three((s) => s.bom), mode: target.mode }), isOpen: false }
}

/** The files that an operation changed, before and after it. */
interface Changed {
  readonly before: Tree
  readonly after: Tree
}

/** The history as the test believes it to be. */
class Model {
  disk: Record<string, State> = Object.fromEntries(paths.map((path) => [path, absent]))
  readonly left = new Map<string, State>()
  readonly undo: Changed[] = []
  readonly redo: Changed[] = []

  /** Carries out an operation; returns what it changed, and whether it moves the stack. */
  operate(targets: Tree, bases: (path: string) => State): { readonly changed: Changed; readonly counts: boolean } {
    const before: Record<string, State> = {}
    const after: Record<string, State> = {}
    let isOpen = false
    for (const [path, target] of Object.entries(targets)) {
      const disk = this.disk[path] ?? absent
      const result = expected(bases(path), disk, target)
      isOpen ||= result.isOpen
      if (JSON.stringify(result.state) === JSON.stringify(disk)) continue
      before[path] = disk
      this.disk[path] = result.state
      this.left.set(path, result.state)
      after[path] = result.state
    }
    return { changed: { before, after }, counts: Object.keys(before).length > 0 || !isOpen }
  }

  /** An undo or redo; `false` when there is nothing to take back. */
  reverse(from: Changed[], to: Changed[]): boolean {
    const last = from.at(-1)
    if (!last) return false
    // Typing is what differs from what this very operation left, whatever others did since.
    const { changed, counts } = this.operate(last.before, (path) => last.after[path] ?? absent)
    if (counts) {
      from.pop()
      to.push(changed)
    }
    return true
  }
}

async function play(dice: Dice): Promise<void> {
  const temp = await tempHistory()
  try {
    const model = new Model()
    const turns: Tree[] = [{ ...model.disk }]
    for (let turn = 0; turn < 5; turn++) {
      for (const path of paths) if (dice.chance(50)) model.disk[path] = agentEdit(dice, model.disk[path] ?? absent)
      turns.push({ ...model.disk })
    }
    write(temp, model.disk)
    const last = turns.at(-1) ?? {}
    let { history } = temp

    for (let step = 0; step < 10; step++) {
      for (const path of paths) {
        if (!dice.chance(15)) continue
        model.disk[path] = userEdit(dice, model.disk[path] ?? absent)
        temp.put(path, contentOf(model.disk[path] ?? absent))
      }
      if (dice.chance(20)) history = await temp.reopen()
      await oneOperation(dice, history, model, turns, last)
      expect(withoutEmptyFolders(temp.tree())).toEqual(shown(model.disk))
    }
  } finally {
    temp.dispose()
  }
}

async function oneOperation(dice: Dice, history: SessionHistory, model: Model, turns: readonly Tree[], last: Tree): Promise<void> {
  const what = dice.pick(['rewind', 'undo', 'undo', 'redo'])
  if (what === 'rewind') {
    const target = dice.pick(turns)
    const base = (path: string): State => model.left.get(path) ?? last[path] ?? absent
    const cases: Record<string, FileCase> = Object.fromEntries(paths.map((path) => [path, { target: contentOf(target[path] ?? absent), base: contentOf(base(path)) }]))
    const rewind = rewindOf(cases)
    const { planHash } = await history.preview(rewind)
    await history.apply(rewind, planHash)
    const { changed } = model.operate(target, base)
    if (Object.keys(changed.before).length > 0) {
      model.undo.push(changed)
      model.redo.length = 0
    }
    return
  }
  const [from, to] = what === 'undo' ? [model.undo, model.redo] : [model.redo, model.undo]
  if (model.reverse(from, to)) await history[what === 'undo' ? 'undo' : 'redo'](null)
  else await expect(history[what === 'undo' ? 'undo' : 'redo'](null)).rejects.toMatchObject({ name: 'ReviewError' })
}

function write(temp: TempHistory, tree: Tree): void {
  for (const [path, state] of Object.entries(tree)) temp.put(path, contentOf(state))
}

function withoutEmptyFolders(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('/')))
}

describe('any chain of rewinds, undos and redos, with edits of the user between', () => {
  afterAll(() => process.stdout.write(`rewind-property: SEED=${seed}, ${scenarios} scenarios\n`))

  it('gives the expected bytes, modes and links', { timeout: 300_000 }, async () => {
    const failed: string[] = []
    for (let scenario = 0; scenario < scenarios && failed.length === 0; scenario++) {
      await play(new Dice(seed + scenario)).catch((thrown: unknown) => failed.push(`SEED=${seed + scenario} SCENARIOS=1: ${String(thrown)}`))
    }
    expect(failed).toEqual([])
  })
})
