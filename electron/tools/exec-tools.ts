import { z } from 'zod'
import { hunksOf, type Hunk } from '../../shared/changes.js'
import { ReviewError } from '../../shared/errors.js'
import { workspacePath } from '../../shared/ids.js'
import { commandResult } from './command-result.js'
import { decodeText } from '../workspace/text-decoding.js'
import { unifiedDiff } from './diff-text.js'
import { editResult } from './edit-result.js'
import { installCommand, managers } from './install-command.js'
import { listDirectory } from './list-directory.js'
import { proposeCommand } from './propose-command.js'
import { readFile } from './read-file.js'
import { runCommand } from './run-command.js'
import { searchFiles } from './search-files.js'
import { testCommand } from './test-command.js'
import { parseTestResults } from './test-results.js'
import { done, tool, type Tool } from './tool.js'
import { writeFile } from './write-file.js'

const where = 'In the agent\'s own scratch workspace, apart from the user\'s files: '

/** A tool of the user's workspace, in the agent's own. */
function inScratch(name: string, title: string, of: Tool): Tool {
  return { ...of, name, title, description: where + lowerFirst(of.description), place: 'scratch' }
}

const execTest = tool({
  name: 'exec_test',
  title: 'Run tests in the scratch workspace',
  description: `${where}runs its tests and gives the results as data. Without a command the usual one of the workspace is taken (npm test, pytest, go test, cargo test).`,
  effect: 'command',
  params: z.object({ command: z.string().min(1).max(100_000).optional(), time_limit_ms: z.number().int().min(1_000).max(3_600_000).optional() }),
  result: {
    ...commandResult,
    tests: z
      .object({
        runner: z.string(),
        passed: z.number().nullable(),
        failed: z.number().nullable(),
        skipped: z.number().nullable(),
        failures: z.array(z.object({ name: z.string(), file: z.string().nullable(), line: z.number().nullable(), message: z.string().nullable() })),
      })
      .nullable(),
  },
  run: async ({ command, time_limit_ms: timeLimitMs }, scratch, call) => {
    const line = command ?? testCommand(scratch.workspace.root)
    if (line === null) throw new ReviewError('INVALID_PARAMS', 'No test runner is recognised here. Give the command.', { details: { field: 'command' } })
    return proposeCommand(scratch, call, {
      command: line,
      timeLimitMs: timeLimitMs ?? null,
      interpret: ({ stdout, stderr, exitCode }) => ({ tests: parseTestResults(line, stdout.text, stderr.text, exitCode) }),
    })
  },
})

const execInstall = tool({
  name: 'exec_install',
  title: 'Install packages in the scratch workspace',
  description: `${where}installs packages with its package manager (recognised by its files, or named). Without packages all that the workspace declares are installed. A person approves it.`,
  effect: 'command',
  params: z.object({
    packages: z.array(z.string().min(1).max(300)).max(50).default([]),
    manager: z.enum(managers).optional(),
    dev: z.boolean().default(false),
  }),
  result: commandResult,
  run: async ({ packages, manager, dev }, scratch, call) => {
    const command = installCommand(scratch.workspace.root, { packages, manager: manager ?? null, dev })
    return proposeCommand(scratch, call, { command, timeLimitMs: 600_000, interpret: null })
  },
})

const execDiff = tool({
  name: 'exec_diff',
  title: 'Diff of the scratch workspace',
  description: `${where}the diff of everything that was changed there in this session, or of one file.`,
  effect: 'reads',
  params: z.object({ path: z.string().max(4096).optional() }),
  result: { diff: editResult.diff, diff_is_cut: editResult.diff_is_cut, files: z.array(z.object({ path: z.string(), how: z.string() })) },
  run: async ({ path }, scratch) => {
    const all = [...scratch.changedFiles()].filter(([name, { before, after }]) => (path === undefined || name === workspacePath(path)) && before.kind !== 'folder' && after.kind !== 'folder')
    const textOf = async (state: { readonly kind: string; readonly sha256?: string }): Promise<string | null> => {
      if (state.kind !== 'file' || state.sha256 === undefined) return state.kind === 'absent' ? '' : null
      const decoded = decodeText(await scratch.readState(state.sha256))
      return decoded.kind === 'text' ? decoded.text : null
    }
    const files = await Promise.all(all.map(async ([name, { before, after }]) => ({ path: name, hunks: hunksBetween(await textOf(before), await textOf(after)), how: before.kind === 'absent' ? 'created' : after.kind === 'absent' ? 'deleted' : 'changed' })))
    const diff = unifiedDiff(files)
    return done(files.length === 0 ? '[Nothing was changed.]' : diff.text, { diff: diff.text, diff_is_cut: diff.isCut, files: files.map(({ path: name, how }) => ({ path: name, how })) })
  },
})

function hunksBetween(before: string | null, after: string | null): readonly Hunk[] | null {
  return before === null || after === null ? null : hunksOf(before, after)
}

export const execTools: readonly Tool[] = [
  inScratch('exec_write', 'Write a file in the scratch workspace', writeFile),
  inScratch('exec_read', 'Read a file of the scratch workspace', readFile),
  inScratch('exec_run', 'Run a command in the scratch workspace', runCommand),
  inScratch('exec_ls', 'List a folder of the scratch workspace', listDirectory),
  inScratch('exec_search', 'Search the scratch workspace', searchFiles),
  ...[execTest, execInstall, execDiff].map((each): Tool => ({ ...each, place: 'scratch' })),
]

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
