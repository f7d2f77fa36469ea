import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectAgent } from './connected-agent.js'
import { expect, test, type World } from './open-app.js'

/** Process that holds the desk. */
async function hostOf(world: World): Promise<number> {
  const facts: unknown = JSON.parse(await readFile(join(world.dataFolder, 'desk.json'), 'utf8'))
  if (typeof facts !== 'object' || facts === null || !('pid' in facts) || typeof facts.pid !== 'number') throw new Error('No host runs.')
  return facts.pid
}

const recordsOf = async (world: World): Promise<readonly string[]> => {
  const folder = join(world.dataFolder, 'sessions', 'projects')
  const logs = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'))
  expect(logs.length).toBe(1)
  return (await readFile(join(folder, logs[0] ?? ''), 'utf8')).trimEnd().split('\n')
}

test.describe('a host that is killed', { tag: '@web' }, () => {
  test('is followed by another one: the agent hears what became of its call, and goes on in its session', async ({ world }) => {
    await writeFile(join(world.workspace, 'a.txt'), 'one\n')
    const agent = await connectAgent(world, { flags: ['--mode', 'review-after'] })
    await agent.call('begin_turn', { prompt: 'Count' })
    await agent.call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' })
    const command = agent.call('run_command', { command: 'touch b.txt' })
    await expect.poll(async () => (await recordsOf(world)).some((line) => line.includes('touch b.txt'))).toBe(true)
    const killed = await hostOf(world)
    process.kill(killed, 'SIGKILL')
    const told = await command
    const edited = await agent.call('edit_file', { path: 'a.txt', old_text: 'two', new_text: 'three' })
    const records = await recordsOf(world)
    expect([
      told.isError,
      told.text,
      edited.isError,
      await readFile(join(world.workspace, 'a.txt'), 'utf8'),
      (await readdir(world.workspace)).filter((name) => name === 'b.txt'),
      (await hostOf(world)) !== killed,
      records.filter((line) => line.includes('"type":"user"')).length,
    ]).toEqual([true, expect.stringMatching(/No answer is a refusal: nothing was written, and nothing ran/), false, 'three\n', [], true, 1])
    await agent.close()
  })
})

test.describe('an agent that is started again', { tag: '@web' }, () => {
  test('goes on in its last session with --continue, and is refused one that is not there', async ({ world }) => {
    await writeFile(join(world.workspace, 'a.txt'), 'one\n')
    for (const [from, to, flags] of [['one', 'two', []], ['two', 'three', ['--continue']]] as const) {
      const agent = await connectAgent(world, { flags: ['--mode', 'review-after', ...flags] })
      await agent.call('begin_turn', { prompt: `Make it ${to}` })
      await agent.call('edit_file', { path: 'a.txt', old_text: from, new_text: to })
      await agent.close()
    }
    const refused = await connectAgent(world, { flags: ['--session', '5e551011-0000-4000-8000-000000000001'] }).then(() => 'connected', String)
    expect([(await recordsOf(world)).filter((line) => line.includes('"type":"user"')).length, await readFile(join(world.workspace, 'a.txt'), 'utf8'), refused]).toEqual([2, 'three\n', expect.stringContaining('There is no such session of this folder')])
  })
})
