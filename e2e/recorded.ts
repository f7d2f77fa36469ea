// Sessions for the tests: an agent that works in memory records one, and its files lie in the session's folder.

import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SimulatedAgent, type SimMoment } from '../electron/testing/simulated-agent.js'
import type { World } from './open-app.js'

/** An agent that works in the world's folder. It records as qwen-code does. */
export function agentIn(world: World, files: Readonly<Record<string, string | Buffer>> = {}): SimulatedAgent {
  return new SimulatedAgent(files, 100, world.workspace)
}

/** Writes the session where the app opens it at once, and its files as the agent left them. Returns the log's path. */
export async function saveSession(world: World, agent: SimulatedAgent): Promise<string> {
  const { file } = await agent.save(world.sessions)
  await writeFiles(world.workspace, agent)
  return file
}

/** Writes the agent's files, with their modes. */
export async function writeFiles(folder: string, agent: SimulatedAgent): Promise<void> {
  for (const [path, { bytes, mode }] of agent.files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
    await chmod(file, mode)
  }
}

/** Every file below a folder: its path, and its bytes one character each. */
export async function treeOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const tree: Record<string, string> = {}
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile()) tree[file.slice(folder.length + 1)] = await readFile(file, 'latin1')
  }
  return tree
}

/** The same of what an agent held. */
export function treeAt(files: SimMoment['files']): Readonly<Record<string, string>> {
  return Object.fromEntries([...files].map(([path, { bytes }]) => [path, bytes.toString('latin1')]))
}

/** So many numbered lines. */
export function numbered(count: number, word = 'line'): string {
  return Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join('')
}
