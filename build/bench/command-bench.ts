// A command that prints 100 MB: what it costs, and what whoever watches and works beside it notices.

import { runCommand, type CommandResult } from '../../electron/tools/run-process.js'
import type { OutputMessage } from '../../electron/tools/live-output.js'
import { watched } from './event-loop.js'
import { runProgram, timed } from './measure.js'
import { table, type Goal, type Group } from './report.js'

const bytes = 100_000_000
const line = '0123456789'.repeat(8)
const rounds = 3
const messageMs = 16

interface Run {
  readonly ms: number
  readonly result: CommandResult
  readonly longestBlockMs: number
  readonly grownBytes: number
  readonly messages: number
  readonly largestMessage: number
}

export const benchCommand: Group = async (_, folder) => {
  const kinds = { 'long lines': line, 'two bytes a line': 'y' }
  const rows: (readonly (string | number)[])[] = []
  const goals: Goal[] = []
  for (const [kind, text] of Object.entries(kinds)) {
    const command = `yes ${text} | head -c ${bytes}`
    let pipeMs = Infinity
    let longestBlockMs = Infinity
    let best: Run | null = null
    for (let round = 0; round < rounds; round++) {
      pipeMs = Math.min(pipeMs, runProgram('bash', ['-c', `${command} | cat | tail -c 1`], folder).ms)
      const run = await runOurs(command, folder)
      longestBlockMs = Math.min(longestBlockMs, run.longestBlockMs)
      if (!best || run.ms < best.ms) best = run
    }
    if (!best) continue
    const { result } = best
    const lost = Math.abs(bytes - result.stdout.sizeBytes) + (result.stdout.sizeBytes - result.stdout.cutBytes > 256 * 1024 ? 1 : 0)
    rows.push([kind, best.ms, pipeMs, best.ms / pipeMs, best.messages, best.largestMessage / 1024, longestBlockMs, best.grownBytes / 1e6])
    goals.push(
      { what: `${kind}: longest time without turn for others, ms`, measured: longestBlockMs, atMost: 50 },
      { what: `${kind}: messages in 16 ms`, measured: best.messages / (best.ms / messageMs + 2), atMost: 1 },
      { what: `${kind}: KiB in the largest message`, measured: best.largestMessage / 1024, atMost: 256 },
      { what: `${kind}: memory grown, MB`, measured: best.grownBytes / 1e6, atMost: 50 },
      { what: `${kind}: bytes that are counted wrong`, measured: lost, atMost: 0 },
    )
  }
  const head = ['100 MB of', 'ours, ms', 'cat and tail, ms', 'ratio', 'messages', 'largest, KiB', 'longest block, ms', 'memory, MB']
  return { tables: [table('A command that prints 100 MB', head, rows)], goals }
}

async function runOurs(command: string, directory: string): Promise<Run> {
  let messages = 0
  let largestMessage = 0
  const onOutput = ({ parts }: OutputMessage): void => {
    messages++
    largestMessage = Math.max(largestMessage, parts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0))
  }
  const request = { command, directory, environment: process.env, timeLimitMs: 120_000 }
  const { result, longestBlockMs, grownBytes } = await watched(() => timed(() => runCommand(request, { onOutput })))
  return { ...result, longestBlockMs, grownBytes, messages, largestMessage }
}
