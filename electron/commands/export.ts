import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { exportToQwen } from '../history/qwen-export.js'
import { qwenFolders } from '../sessions/session-places.js'
import { UsageError, type CommandLine } from './arguments.js'
import { asJson, countOf, needed, plain, session } from './words.js'
import type { CommandWorld, ExitCode } from './world.js'

/**
 * `export <session> --format qwen-code [--to DIR]`: the session as qwen-code's own, so that it can be resumed and rewound there.
 * DIR is qwen-code's home; without it the one of this user.
 */
export async function exportSession(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const format = needed(line, 'format', 'qwen-code')
  if (format !== 'qwen-code') throw new UsageError(`There is no format "${format}". Sessions can be exported as qwen-code.`)
  const { summary, store } = await world.open(session(line))
  const to = line.text('to')
  const folders = to === null ? qwenFolders(process.env, homedir()) : { home: resolve(to), runtime: resolve(to) }
  const done = await exportToQwen({ file: summary().file, store, ...folders })
  if (line.flag('json')) world.out(asJson(done))
  else world.out(`${done.wasThere ? 'Was there already' : 'Exported'}: ${done.log}, ${countOf(done.backups, 'backup')}\n`)
  for (const path of done.withoutBackup) world.note(`${plain(path)}: one of its states cannot be restored there.\n`)
  return done.withoutBackup.length > 0 ? 1 : 0
}
