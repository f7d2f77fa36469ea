import { RandomTexts, lineKinds } from '../../shared/testing/random-texts.js'

export interface FuzzFile {
  readonly bytes: Buffer
  readonly mode: '100644' | '100755' | '120000'
}

export type Tree = ReadonlyMap<string, FuzzFile>

/** A patch is made from `before` to `after` and applied to `target`. */
export interface PatchCase {
  readonly seed: number
  readonly tool: 'git' | 'diff'
  readonly before: Tree
  readonly after: Tree
  readonly target: Tree
  /** Whether the target is what the patch was made from. */
  readonly isClean: boolean
  readonly contextLines: number
  /** More options for git diff. */
  readonly options: readonly string[]
}

const plainNames = ['a.ts', 'b.ts', 'src/c.ts', 'src/deep/d.ts', 'sp ace.txt', 'a/x', 'b/x', '-dash', 'x b/x', ' lead']
const gitNames = [...plainNames, 'tab\there', 'new\nline', 'quo"te', 'back\\slash', 'ümlaut', '漢字😀', 'cr\r', 'tail ', "it's"]
const edits = ['touch', 'touch', 'touch', 'rework', 'swap', 'move', 'repeat', 'shuffle', 'replace'] as const
const ends = [['\n'], ['\n'], ['\r\n'], ['\n', '\r\n'], ['\n', '\n', '\n', '\r\n']]

/** The same case for the same seed. */
export function patchCase(seed: number): PatchCase {
  const random = new RandomTexts(seed)
  const tool = random.below(4) === 0 ? 'diff' : 'git'
  const before = new Map<string, FuzzFile>()
  const after = new Map<string, FuzzFile>()
  const names = [...(tool === 'git' ? gitNames : plainNames)]
  for (let count = 1 + random.below(random.below(3) === 0 ? 5 : 2); count > 0; count--) addPair(random, before, after, names, tool)
  const isClean = random.below(2) === 0
  const target = isClean ? before : changed(random, before)
  const options = tool === 'git' ? ['-M', ...(random.below(3) === 0 ? ['-C', '--find-copies-harder'] : []), ...gitOptions(random)] : []
    // Without hashes, only context tells an insertion at the top from a file that was empty.
  const contextLines = random.pick(tool === 'git' ? [0, 0, 1, 2, 3, 3, 3, 5, 20] : [1, 2, 3, 3, 3, 5, 20])
  return { seed, tool, before, after, target, isClean, contextLines, options }
}

function gitOptions(random: RandomTexts): readonly string[] {
  return [
    ['--binary'],
    ['--binary', '--full-index'],
    ['--binary', '--no-prefix'],
    ['--binary', '--src-prefix=i/', '--dst-prefix=w/'],
    ['--binary', '--patience'],
    ['--binary', '--inter-hunk-context=4'],
  ][random.below(6)] ?? []
}

function takeName(random: RandomTexts, names: string[], ...trees: readonly Tree[]): string {
  for (;;) {
    const [name = `more-${names.length}-${random.below(1_000_000)}`] = names.splice(random.below(names.length), 1)
    // No file may be where another one needs a folder.
    const isInTheWay = (other: string): boolean => other === name || other.startsWith(`${name}/`) || name.startsWith(`${other}/`)
    const isTaken = trees.some((tree) => [...tree.keys()].some(isInTheWay))
    if (!isTaken) return name
  }
}

function addPair(random: RandomTexts, before: Map<string, FuzzFile>, after: Map<string, FuzzFile>, names: string[], tool: 'git' | 'diff'): void {
  const name = takeName(random, names, before, after)
  const kind = random.pick(lineKinds)
  const lines = random.lines(kind, random.below(random.pick([3, 12, 60])))
  const lineEnds = random.pick(ends)
  const oldText = textOf(random, lines, lineEnds)
  const editedLines = random.edited(lines, kind, random.pick(edits))
  const newText = random.below(12) === 0 ? textOf(random, editedLines, random.pick(ends)) : textOf(random, editedLines, lineEnds, oldText)
  const old = file(oldText, random.below(5) === 0 ? '100755' : '100644')
  const now = file(newText, random.below(8) === 0 ? '100755' : old.mode)
  switch (random.below(tool === 'git' ? 12 : 8)) {
    case 0:
      after.set(name, now)
      return
    case 1:
      before.set(name, old)
      return
    case 8:
    case 9: {
      before.set(name, old)
      const isCopy = random.below(3) === 0
      if (isCopy) after.set(name, old)
      after.set(takeName(random, names, before, after), random.below(2) === 0 ? { ...old, mode: now.mode } : now)
      return
    }
    case 10: {
      before.set(name, bytes(random, null))
      after.set(name, bytes(random, before.get(name)?.bytes ?? null))
      return
    }
    case 11: {
      before.set(name, random.below(2) === 0 ? old : file(`to/${random.below(9)}`, '120000'))
      after.set(name, random.below(2) === 0 ? bytes(random, null) : file(`to/${random.below(9)}`, '120000'))
      return
    }
    default:
      before.set(name, old)
      after.set(name, tool === 'git' ? now : { ...now, mode: old.mode })
  }
}

function file(text: string, mode: FuzzFile['mode']): FuzzFile {
  return { bytes: Buffer.from(text), mode }
}

/** Bytes that are no text, near the given ones if there are any. */
function bytes(random: RandomTexts, near: Buffer | null): FuzzFile {
  const made = Buffer.from([0, ...Array.from({ length: random.below(random.pick([3, 60, 2000])) }, () => random.below(256))])
  if (near === null || random.below(2) === 0) return { bytes: made, mode: '100644' }
  const middle = random.below(near.length + 1)
  return { bytes: Buffer.concat([near.subarray(0, middle), made.subarray(0, 20), near.subarray(middle)]), mode: '100644' }
}

/** Lines that stand in `model` too keep the line end they have there. */
function textOf(random: RandomTexts, lines: readonly string[], lineEnds: readonly string[], model = ''): string {
  const known = new Map(model.split('\n').map((line) => [line.replace(/\r$/, ''), line.endsWith('\r') ? '\r\n' : '\n']))
  const text = lines.map((line) => line + (model === '' ? random.pick(lineEnds) : (known.get(line) ?? random.pick(lineEnds)))).join('')
  return random.below(5) === 0 ? text.replace(/\r?\n$/, '') : text
}

/** The tree with one or a few lines of its texts added, removed, repeated or altered. */
function changed(random: RandomTexts, tree: Tree): Tree {
  const result = new Map(tree)
  for (const [name, { bytes: old, mode }] of tree) {
    if (mode === '120000' || old.includes(0) || (tree.size > 1 && random.below(3) === 0)) continue
    const lines = old.toString().split(/(?<=\n)/)
    for (let count = 1 + random.below(3); count > 0; count--) {
      const at = random.below(lines.length + 1)
      const line = lines[at] ?? 'added\n'
      const whole = line.endsWith('\n') ? line : `${line}\n`
      switch (random.below(6)) {
        case 0:
          lines.splice(at, 0, `new ${random.below(100)}\n`)
          break
        case 1:
          lines.splice(at, 1)
          break
        case 2:
          lines.splice(at, 1, `other${random.below(9)} ${whole}`)
          break
        case 3:
          lines.splice(random.below(lines.length), 0, ...lines.slice(at, at + 1 + random.below(5)).map((each) => each.replace(/(?<!\n)$/, '\n')))
          break
        case 4:
          lines.splice(at, 1, whole.endsWith('\r\n') ? whole.replace('\r\n', '\n') : whole.replace('\n', '\r\n'))
          break
        default:
          lines.splice(0, 0, 'top\n', ...(random.below(2) === 0 ? ['top\n'] : []))
      }
    }
    result.set(name, { bytes: Buffer.from(lines.join('')), mode })
  }
  return result
}

/** A mode as a patch states it. */
export function modeOf(mode: number | null): FuzzFile['mode'] {
  return mode === 0o100755 ? '100755' : mode === 0o120000 ? '120000' : '100644'
}
