// Real agent programs that are installed here, each set up as our connect recipes say, with a fake model behind it. Only those
// that need nothing else from the network are driven.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '../build/bootstrap.cjs'
import { connectRecipes } from '../electron/agents/connect-recipes.js'
import type { World } from './open-app.js'

export interface AgentProgram {
  /** Of its connect recipe. */
  readonly id: string
  readonly name: string
  readonly executable: string
  /** How it is installed, for who reads why a test was skipped. */
  readonly install: string
  /** What it puts before the names of our tools. */
  readonly toolPrefix: string
  /** What the recipe's advice asks for besides, as commands for the shell. */
  readonly afterConnect: readonly string[]
  /** Its settings in the folder, as the advice asks for. */
  readonly settings: Readonly<Record<string, object>>
  readonly env: (modelUrl: string) => Readonly<Record<string, string>>
  /** Its arguments for one prompt without a terminal. */
  readonly ask: (prompt: string) => readonly string[]
}

export const agentPrograms: readonly AgentProgram[] = [
  {
    id: 'qwen-code',
    name: 'qwen-code',
    executable: 'qwen',
    install: 'npm install -g @qwen-code/qwen-code',
    toolPrefix: 'mcp__overturn__',
    afterConnect: ['qwen mcp approve overturn'],
    settings: {},
    env: (modelUrl) => ({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${modelUrl}/v1`, OPENAI_MODEL: 'fake-model' }),
    ask: (prompt) => ['--auth-type', 'openai', '-p', prompt],
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    executable: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    toolPrefix: 'mcp__overturn__',
    afterConnect: [],
    settings: { '.claude/settings.local.json': { permissions: { allow: ['mcp__overturn__*'], deny: ['Edit', 'Write', 'NotebookEdit', 'Bash'] } } },
    env: (modelUrl) => ({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: modelUrl, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }),
    ask: (prompt) => ['-p', prompt],
  },
]

/** Nothing leaves this machine: whatever the program asks of other hosts is refused at once. */
const offline = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost' }

/** Where programs are looked for: in the folders of OVERTURN_TEST_AGENTS, then in those of PATH. */
const searchPath = [process.env['OVERTURN_TEST_AGENTS'], process.env['PATH']].filter(Boolean).join(delimiter)

/** Why a test with this program cannot run here, or `null`. */
export function hindrance({ name, executable, install }: AgentProgram): string | null {
  if (process.platform === 'win32') return 'Agent programs are not driven on Windows.'
  if (searchPath.split(delimiter).some((folder) => isExecutable(join(folder, executable)))) return null
  return `${name} is not installed here. Install it ("${install}"), or name the folder of "${executable}" in OVERTURN_TEST_AGENTS.`
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface StartedAgent {
  /** All that it printed; rejects with it when it ended badly. */
  readonly ended: Promise<string>
  readonly kill: () => void
}

/** Connects the program to us by its recipe's own command, in the world of a test. */
export async function connectAgent(program: AgentProgram, world: World): Promise<void> {
  const command = [process.execPath, join(root, 'dist', 'cli.cjs')]
  const recipe = connectRecipes({ workspace: world.workspace, command, httpUrl: '', token: '' }).find(({ id }) => id === program.id)
  if (!recipe?.stdio.command) throw new Error(`There is no command to connect ${program.name}.`)
  for (const [path, value] of Object.entries(program.settings)) {
    const file = join(world.workspace, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(value))
  }
  for (const line of [recipe.stdio.command, ...program.afterConnect]) await start('/bin/sh', ['-c', line], world, {}).ended
}

/** Gives the program a prompt. It ends by itself once the model has no more to do. */
export function askAgent(program: AgentProgram, world: World, modelUrl: string, prompt: string): StartedAgent {
  return start(program.executable, program.ask(prompt), world, { ...offline, ...program.env(modelUrl) })
}

function start(file: string, args: readonly string[], world: World, env: Readonly<Record<string, string>>): StartedAgent {
  // In a group of its own: some of these programs start themselves once more, and their children end with them.
  const child = spawn(file, [...args], { cwd: world.workspace, env: { ...world.env, PATH: searchPath, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const ended = outcome(child)
  ended.catch(() => undefined)
  const kill = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  return { ended, kill }
}

async function outcome(child: ChildProcess): Promise<string> {
  if (!child.stdout || !child.stderr) throw new Error('The program has no streams.')
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), child.exitCode ?? once(child, 'exit')])
  if (child.exitCode !== 0) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode ?? child.signalCode}.\n${out}\n${err}`)
  return out
}
