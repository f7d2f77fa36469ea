// How the bench takes times: all ways of doing one thing in turn, round by round, so that other work on the machine hits all alike.

import { spawnSync } from 'node:child_process'

/** One way of doing what is measured. It tells its own time where more than the thing itself happens in `run`. */
export interface Way<Result = unknown> {
  readonly name: string
  /** Brings everything to the state before; not measured. */
  readonly prepare?: () => Promise<void> | void
  readonly run: () => Promise<Timed<Result>> | Timed<Result>
}

export interface Timed<Result> {
  readonly ms: number
  readonly result: Result
}

/** What one way took: the fastest round, since whatever else runs can only add to a time. */
export interface Timing<Result = unknown> {
  readonly ms: number
  readonly result: Result
}

/** A way this slow is not asked twice. */
const slowMs = 1500

/** Runs each way once a round, in an order that moves on with each round. */
export async function race<Result>(ways: readonly Way<Result>[], rounds: number): Promise<ReadonlyMap<string, Timing<Result>>> {
  const fastest = new Map<string, Timing<Result>>()
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const way = ways[(turn + round) % ways.length]
      const before = way && fastest.get(way.name)
      if (!way || (before && before.ms > slowMs)) continue
      await way.prepare?.()
      const timed = await way.run()
      if (!before || timed.ms < before.ms) fastest.set(way.name, timed)
    }
  }
  return fastest
}

/** Times a function. */
export async function timed<Result>(run: () => Promise<Result> | Result): Promise<Timed<Result>> {
  const start = performance.now()
  const result = await run()
  return { ms: performance.now() - start, result }
}

/** Runs a program; its start and end count, as they do for whoever calls it. Throws on another exit code than those allowed. */
export function runProgram(command: string, args: readonly string[], cwd: string, allowed: readonly number[] = [0]): Timed<Buffer> {
  const start = performance.now()
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, maxBuffer: 1 << 30 })
  const ms = performance.now() - start
  if (error) throw error
  if (status === null || !allowed.includes(status)) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr.toString()}`)
  return { ms, result: stdout }
}

/** Time of one way over that of another. Throws when one was not run. */
export function ratio(timings: ReadonlyMap<string, { readonly ms: number }>, name: string, other: string): number {
  return msOf(timings, name) / msOf(timings, other)
}

export function msOf(timings: ReadonlyMap<string, { readonly ms: number }>, name: string): number {
  const timing = timings.get(name)
  if (!timing) throw new Error(`"${name}" was not run.`)
  return timing.ms
}
