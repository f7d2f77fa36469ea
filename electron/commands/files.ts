import { ReviewError } from '../../shared/errors.js'
import { workspacePath } from '../../shared/ids.js'
import { UsageError, type CommandLine } from './arguments.js'
import { isOutside } from '../review/path-events.js'
import { momentNamed } from './moments.js'
import { asJson, needed, plain, session } from './words.js'
import { watchOf, type CommandWorld, type ExitCode } from './world.js'

const atMeaning = 'a turn (its start), a change in it (3.2: after the second of turn 3) or "end"'

/** `files <session> --at <turn|end>`: what each file that the session knows was then. */
export async function files(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const at = needed(line, 'at', atMeaning)
  const opened = await world.open(session(line))
  const moment = momentNamed(opened.recorded, at)
  const listed: unknown[] = []
  for (const { path, held } of await opened.review.filesAt(moment, watchOf(world, 'Reading files'))) {
    const { content, source } = held
    if (isOutside(path)) continue
    const { state } = content
    const provenance = state.kind === 'unknown' ? `unknown: ${state.reason}` : source
    const row =
      state.kind === 'file'
        ? { path, state: 'present', sha256: state.sha256, mode: state.mode === null ? null : modeText(state.mode), sizeBytes: state.sizeBytes, provenance }
        : state.kind === 'link'
          ? { path, state: 'present', link: state.target, mode: null, provenance }
          : { path, state: state.kind === 'absent' || state.kind === 'folder' ? state.kind : 'unknown', sha256: null, mode: null, provenance }
    listed.push(row)
    if (line.flag('json')) continue
    const detail = state.kind === 'file' ? `${modeText(state.mode ?? 0o644)} ${state.sha256.slice(0, 12)}` : state.kind === 'link' ? `link to ${plain(state.target)}` : ''
    world.out(`${row.state.padEnd(8)} ${detail.padEnd(17)} ${plain(path)}  (${provenance})\n`)
  }
  if (line.flag('json')) world.out(asJson(listed))
  return 0
}

/** `cat <session> <path> --at <turn|end>`: the exact bytes, and nothing else, on standard output. */
export async function cat(line: CommandLine, world: CommandWorld): Promise<ExitCode> {
  const at = needed(line, 'at', atMeaning)
  const path = line.words[1]
  if (path === undefined) throw new UsageError('Name the file: its path in the workspace.')
  const opened = await world.open(session(line))
  const { content } = await opened.review.contentAt(momentNamed(opened.recorded, at), workspacePath(path), world.signal)
  const { state } = content
  if (state.kind === 'unknown' && state.reason !== 'unreadable' && !(await opened.review.contents.pathsTouched(world.signal)).includes(workspacePath(path))) {
    throw new ReviewError('FILE_NOT_FOUND', `This session knows no file ${path}. "overturn files" lists those it knows.`)
  }
  if (state.kind === 'absent') throw new ReviewError('FILE_NOT_FOUND', `${path} did not exist then. "overturn files" lists what did.`)
  if (state.kind !== 'file' && state.kind !== 'link') {
    throw new ReviewError('CONTENT_UNKNOWN', `The records do not prove what ${path} held then, so nothing is printed. Try another turn.`)
  }
  world.out(state.kind === 'link' ? state.target : await content.read(world.signal))
  return 0
}

const modeText = (mode: number): string => mode.toString(8).padStart(4, '0')
