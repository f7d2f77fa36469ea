import type { WorkspacePath } from '../../shared/ids.js'
import type { Turn } from '../../shared/session.js'
import type { Hit } from '../../shared/timeline.js'
import { throwIfAborted } from '../../shared/errors.js'
import type { Contents } from './contents.js'

const shownLength = 200

/**
 * Finds a text, in any case, in prompts, paths and commands of a session; newest turns first, prompts before files before commands.
 * At most a third of the hits of one kind push out the others.
 */
export async function findInSession(contents: Contents, setAside: readonly Turn[], text: string, limit: number, signal?: AbortSignal): Promise<readonly Hit[]> {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const { steps } = contents.now()
  const turns = [...steps.turns, ...setAside].sort((one, two) => two.startedAt - one.startedAt)
  const paths = await contents.pathsTouched(signal)
  const commands: Hit[] = []
  for (const turn of turns) {
    throwIfAborted(signal)
    if (commands.length >= limit) break
    const found = (await steps.digest(turn)).commands.filter((command) => command.toLowerCase().includes(wanted))
    commands.push(...found.map((command): Hit => ({ kind: 'command', promptId: turn.promptId, index: turn.index, text: excerpt(command, wanted) })))
  }
  const prompts = turns
    .filter((turn) => turn.prompt.toLowerCase().includes(wanted))
    .map((turn): Hit => ({ kind: 'turn', promptId: turn.promptId, index: turn.index, text: excerpt(turn.prompt, wanted) }))
  const files = paths.filter((path) => path.toLowerCase().includes(wanted)).flatMap((path) => fileHit(contents, path))
  return share([prompts, files, commands], limit)
}

function fileHit(contents: Contents, path: WorkspacePath): readonly Hit[] {
  const { steps } = contents.now()
  const touched = steps.touches(path, 0, steps.turns.length - 1)
  const last = touched && steps.turns[touched.last]
  return touched && last ? [{ kind: 'file', path, turns: touched.count, lastIn: last.promptId }] : []
}

/** Gives each kind an equal part of the limit; what one does not use goes to the others, in order. */
function share(kinds: readonly (readonly Hit[])[], limit: number): readonly Hit[] {
  const part = Math.floor(limit / kinds.length)
  let spare = limit - kinds.reduce((sum, hits) => sum + Math.min(part, hits.length), 0)
  return kinds.flatMap((hits) => {
    const more = Math.min(spare, Math.max(0, hits.length - part))
    spare -= more
    return hits.slice(0, part + more)
  })
}

/** The line with the text, around it. */
function excerpt(text: string, wanted: string): string {
  const at = text.toLowerCase().indexOf(wanted)
  const start = text.lastIndexOf('\n', at) + 1
  const end = text.indexOf('\n', at)
  const line = text.slice(start, end < 0 ? undefined : end)
  if (line.length <= shownLength) return line
  const from = Math.max(0, at - start - shownLength / 2)
  return `${from > 0 ? '…' : ''}${line.slice(from, from + shownLength)}…`
}
