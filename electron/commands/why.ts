import { resolve } from 'node:path'
import type { WhyAnswer } from '../../shared/search.js'
import { UsageError, type CommandLine } from './arguments.js'
import { asJson, countOf, plain, timeOf } from './words.js'
import { watchOf, type CommandWorld, type ExitCode } from './world.js'

const longestReason = 600

/** `why <file>:<line>`: the turn and prompt that wrote a line of a file as it is now. Exit code 1 where no session wrote it. */
export async function why(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const [, file, number] = /^(.+):([1-9]\d{0,7})$/.exec(line.words[0] ?? '') ?? []
  if (file === undefined) throw new UsageError('Name a line of a file: <file>:<line>.')
  const answer = await world.search.why(resolve(file), Number(number), watchOf(world, 'Searching sessions'))
  world.out(line.flag('json') ? asJson(answer) : asText(answer))
  return answer.kind === 'written' ? 0 : 1
}

function asText(answer: WhyAnswer): string {
  const shown = plain(answer.line.trim())
  if (answer.kind === 'not-recorded') return `${shown}\n${plain(answer.reason, longestReason)}\n`
  const { title, client, agent, session, turn, at, callId, cause, hunk, before, passed, prompt } = answer
  const lines = [
    shown,
    `turn ${turn} of "${plain(title)}"  ${timeOf(at)}  ${client === null ? agent : plain(client)}  ${session}`,
    `  ${plain(prompt)}`,
    `  ${cause}${callId === null ? '' : ` ${plain(callId)}`}${hunk === null ? '' : `, hunk ${hunk}`}`,
    ...(before === null ? [] : [`  before: ${plain(before.trim())}`]),
    ...(passed === 0 ? [] : [`  unchanged by ${countOf(passed, 'later turn')}`]),
  ]
  return `${lines.join('\n')}\n`
}
