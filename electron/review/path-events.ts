import type { WorkspacePath } from '../../shared/ids.js'
import type { Step } from './recorded-steps.js'
import type { Held } from './held.js'
import type { ShellEffect, ShellStep } from '../shell/shell-effects.js'

/** Before the step `step` of a segment; segment `2n + 1` is turn n (from 0), `2n + 2` what came between it and the next. */
export interface Place {
  readonly segment: number
  readonly step: number
}

/** Before the first turn. */
export const beginning: Place = { segment: 0, step: 0 }
export const startOf = (turn: number): Place => ({ segment: 2 * turn + 1, step: 0 })
export const endOf = (turn: number): Place => ({ segment: 2 * turn + 2, step: 0 })
export const startOfNext = (turn: number): Place => startOf(turn + 1)

export type SeenStep = Extract<Step, { readonly kind: 'seen' }>
export type EditStep = Extract<Step, { readonly kind: 'edit' }>
export type CommandStep = Extract<Step, { readonly kind: 'command' }>

/** One thing that concerns a path. `shell` is one effect of a command. */
export type PathEvent =
  | { readonly kind: 'seen'; readonly place: Place; readonly step: SeenStep }
  | { readonly kind: 'edit'; readonly place: Place; readonly step: EditStep }
  | { readonly kind: 'shell'; readonly place: Place; readonly step: CommandStep; readonly shell: ShellStep }

export interface LinkSign {
  readonly kind: 'made' | 'replaced'
  readonly place: Place
  readonly effect: ShellEffect
}

/** The steps of one segment, found by path. */
export class Segment {
  private readonly named = new Map<WorkspacePath, number[]>()
  /** Steps that concern whole folders, or anything. */
  private readonly broad: number[] = []
  /** Paths that a call edits, or that a command names as changed files of the workspace. */
  readonly changedPaths: ReadonlySet<WorkspacePath>

  constructor(
    readonly number: number,
    readonly steps: readonly Step[],
  ) {
    this.changedPaths = new Set(steps.flatMap((step) => (step.kind === 'edit' ? [step.path] : step.kind === 'command' ? step.steps.filter(isNamed).map(({ path }) => path) : [])))
    steps.forEach((step, at) => {
      if (step.kind !== 'command') return this.name(step.path, at)
      for (const shell of step.steps) if (shell.kind === 'file' && (shell.isNamed || !shell.isTree)) this.name(shell.path, at)
      if (step.steps.some((shell) => shell.kind === 'unforeseen' || shell.isTree)) this.broad.push(at)
    })
  }

  get isBroad(): boolean {
    return this.broad.length > 0
  }

  get paths(): Iterable<WorkspacePath> {
    return this.named.keys()
  }

  /** In order; empty where nothing concerns the path. */
  eventsOn(path: WorkspacePath): readonly PathEvent[] {
    const at = [...new Set([...(this.named.get(path) ?? []), ...this.broad])].sort((a, b) => a - b)
    return at.flatMap((index) => {
      const step = this.steps[index]
      return step ? eventsOf(step, { segment: this.number, step: index }, path) : []
    })
  }

  /**
   * Signs that a path is, or was, no plain file: a command that may have made it a link, or one that first removed it and then
   * put something there, as one does with a link that is to become a file.
   */
  get linkSigns(): readonly LinkSign[] {
    return this.steps.flatMap((step, at): readonly LinkSign[] => {
      if (step.kind !== 'command') return []
      const effects = step.steps.flatMap((shell) => (shell.kind === 'file' ? [shell] : []))
      const place = { segment: this.number, step: at }
      const made = effects.filter((effect) => effect.how === 'link')
      const replaced = effects.filter((effect, index) => effect.how !== 'deleted' && effects.slice(0, index).some((earlier) => earlier.how === 'deleted' && earlier.path === effect.path))
      return [...made.map((effect) => ({ kind: 'made' as const, place, effect })), ...replaced.map((effect) => ({ kind: 'replaced' as const, place, effect }))]
    })
  }

  private name(path: WorkspacePath, at: number): void {
    const known = this.named.get(path)
    if (known) known.push(at)
    else this.named.set(path, [at])
  }
}

function eventsOf(step: Step, place: Place, path: WorkspacePath): readonly PathEvent[] {
  if (step.kind === 'seen') return step.path === path ? [{ kind: 'seen', place, step }] : []
  if (step.kind === 'edit') return step.path === path ? [{ kind: 'edit', place, step }] : []
  return step.steps.flatMap((shell) => (shell.kind === 'unforeseen' || covers(shell, path) ? [{ kind: 'shell' as const, place, step, shell }] : []))
}

/** Whether a command names one file of the workspace as changed. */
export function isNamed(shell: ShellStep): shell is ShellEffect {
  return shell.kind === 'file' && shell.isNamed && shell.path !== '' && !isOutside(shell.path)
}

/** Whether an effect concerns a path. */
export function covers(effect: ShellEffect, path: WorkspacePath): boolean {
  if (effect.path === path) return true
  if (!effect.isTree) return false
  return effect.path === '' ? !isOutside(path) : path.startsWith(`${effect.path}/`)
}

/** Whether a path lies outside the workspace. */
export function isOutside(path: WorkspacePath): boolean {
  return path.startsWith('/') || /^[A-Za-z]:|^\\|(^|[/\\])\.\.([/\\]|$)/.test(path)
}

/**
 * What a shell effect may have done to a file. Seen `forward` the file was `held` before it; seen `backward` it was
 * `held` after it, and the question is whether it may have been something else before.
 */
export function disturbs(shell: ShellStep, held: Held, seen: 'forward' | 'backward'): 'no' | 'mode' | 'content' {
  const { state } = held.content
  if (shell.kind === 'unforeseen') {
    const wasThereNoMore = seen === 'backward' && state.kind === 'absent'
    return wasThereNoMore && !shell.deletes ? 'no' : 'content'
  }
  if (shell.how === 'mode') return 'mode'
  const isFull = state.kind === 'file' && state.sizeBytes > 0
  return shell.how === 'touched' && isFull ? 'no' : 'content'
}
