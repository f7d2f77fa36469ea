import { usageText } from '../../shared/usage.js'
import type { CommandLine } from './arguments.js'
import { asJson, countOf, endText, plain, timeOf } from './words.js'
import type { CommandWorld, ExitCode } from './world.js'

/** `sessions`: everything found, newest first. */
export async function sessions(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const found = await world.sessions()
  if (line.flag('json')) {
    world.out(asJson(found))
    return 0
  }
  if (found.length === 0) world.note('No session found. Name another place with --sessions DIR.\n')
  for (const { id, agent, title, turns, workspace, recordedFolder, lastActiveAt, files, stat, usage, end } of found) {
    const folder = workspace ?? `${recordedFolder ?? 'no folder'} (not here)`
    const changed = stat && files !== null && files > 0 ? `${countOf(files, 'file')} +${stat.insertions} −${stat.deletions}` : null
    const facts = [changed, usageText(usage), endText(end)].flatMap((fact) => (fact === null ? [] : [`  ${fact}`]))
    world.out(`${id}  ${timeOf(lastActiveAt)}  ${agent}  ${turns === null ? '' : countOf(turns, 'turn')}  ${plain(title)}\n    ${plain(folder)}${facts.join('')}\n`)
  }
  return 0
}
