import type { ToolKind } from '../../shared/session.js'
import { textAt, type JsonObject } from './json-values.js'

/** What our own tools do, by the names under which agents call them. */
export const ownToolKinds: readonly (readonly [string, ToolKind])[] = [
  ['edit_file', 'edit'],
  ['apply_patch', 'edit'],
  ['search_files', 'search'],
  ['run_command', 'command'],
  ['exec_read', 'read'],
  ['exec_write', 'edit'],
  ['exec_ls', 'search'],
  ['exec_search', 'search'],
  ['exec_diff', 'search'],
  ['exec_run', 'command'],
  ['exec_test', 'command'],
  ['exec_install', 'command'],
]

const unifiedSide = /^(?:---|\+\+\+) (?:[ab]\/)?("(?:[^"\\]|\\.)*"|[^\t\n]+)/
const gitRename = /^rename (?:from|to) (.+)$/
const beginPatch = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/
const mostPaths = 1_000

/** The files that a patch names, as it names them; both forms that `apply_patch` takes. */
export function pathsInPatch(patch: string): readonly string[] {
  const paths = new Set<string>()
  const lines = patch.split('\n')
  lines.forEach((line, at) => {
    // A removed line may look like a header; a header stands beside its other half.
    const isHeader = line.startsWith('--- ') ? lines[at + 1]?.startsWith('+++ ') : lines[at - 1]?.startsWith('--- ')
    const side = isHeader ? unifiedSide.exec(line)?.[1] : undefined
    const named = beginPatch.exec(line)?.[1] ?? gitRename.exec(line)?.[1] ?? side
    const path = named?.trim() ?? ''
    if (path !== '' && path !== '/dev/null' && paths.size < mostPaths) paths.add(path)
  })
  return [...paths]
}

/** The files that a call of ours was about, by its arguments; empty for other tools. */
export function patchedPaths(tool: string, args: JsonObject): readonly string[] {
  const patch = tool === 'apply_patch' ? (textAt(args, 'patch') ?? textAt(args, 'input')) : null
  return patch === null ? [] : pathsInPatch(patch)
}
