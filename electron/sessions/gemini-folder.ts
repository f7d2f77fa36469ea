import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { callsIn } from './gemini-calls.js'
import type { GeminiLog } from './gemini-log.js'
import { objectAt, parseObject, textAt } from './json-values.js'

const largestText = 1 << 20
/** So many messages are looked through for a path. */
const lookedThrough = 40

/**
 * The folder of the project whose log this is: it stands beside the chats, in the list of all projects, or in the first message; of an
 * older log only a hash is kept, which is held against the folders above the files that were worked on.
 */
export async function projectFolder(file: string, log: GeminiLog, signal?: AbortSignal): Promise<string | null> {
  const project = dirname(dirname(file))
  const named = textOf(join(project, '.project_root')).trim()
  if (isPath(named)) return named
  const projects = objectAt(parseObject(textOf(join(dirname(dirname(project)), 'projects.json'))), 'projects')
  const listed = Object.keys(projects ?? {}).find((folder) => textAt(projects, folder) === basename(project) && isPath(folder))
  return listed ?? log.document.folder ?? hashedFolder(log, signal)
}

async function hashedFolder({ document, read }: GeminiLog, signal: AbortSignal | undefined): Promise<string | null> {
  const { projectHash, order } = document
  if (projectHash === null) return null
  for (const message of order.filter(({ type }) => type === 'gemini').slice(0, lookedThrough)) {
    for (const call of callsIn((await read(message, signal)).message)) {
      const args = objectAt(call, 'args')
      const path = textAt(args, 'file_path') ?? textAt(args, 'absolute_path') ?? textAt(args, 'path') ?? ''
      for (let folder = path; isPath(folder) && folder !== dirname(folder); folder = dirname(folder)) {
        if (createHash('sha256').update(folder).digest('hex') === projectHash) return folder
      }
    }
  }
  return null
}

function isPath(text: string): boolean {
  return text.length < 4096 && !/[\0\n]/.test(text) && (isAbsolute(text) || /^[A-Za-z]:[\\/]/.test(text))
}

function textOf(file: string): string {
  try {
    return statSync(file).size <= largestText ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
