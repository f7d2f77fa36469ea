import { resolve } from 'node:path'
import { usageText } from '../../shared/usage.js'
import { realPath } from '../sessions/log-files.js'
import type { CommandLine } from './arguments.js'
import { asJson, countOf, endText, plain, timeOf } from './words.js'
import type { CommandWorld, ExitCode } from './world.js'

/** `sessions [--workspace DIR]`: everything found, or all whose own folder is DIR; newest first. */
export async function sessions(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const folder = line.text('workspace')
  const wanted = folder === null ? null : realPath(resolve(folder))
  const found = (await world.sessions()).filter(({ workspace, recordedFolder }) => wanted === null || isFolder(wanted, workspace ?? recordedFolder))
  if (line.flag('json')) {
    world.out(asJson(found))
    return 0
  }
  if (found.length === 0) world.note(folder === null ? 'No session found. Name another place with --sessions DIR.\n' : `No session has the folder ${plain(folder)}. "overturn sessions" lists all.\n`)
  for (const { id, agent, title, turns, workspace, recordedFolder, lastActiveAt, files, stat, usage, end } of found) {
    const folder = workspace ?? `${recordedFolder ?? 'no folder'} (not here)`
    const changed = stat && files !== null && files > 0 ? `${countOf(files, 'file')} +${stat.insertions} −${stat.deletions}` : null
    const facts = [changed, usageText(usage), endText(end)].flatMap((fact) => (fact === null ? [] : [`  ${fact}`]))
    world.out(`${id}  ${timeOf(lastActiveAt)}  ${agent}  ${turns === null ? '' : countOf(turns, 'turn')}  ${plain(title)}\n    ${plain(folder)}${facts.join('')}\n`)
  }
  return 0
}

function isFolder(wanted: string, own: string | null): boolean {
  return own !== null && realPath(own) === wanted
}
