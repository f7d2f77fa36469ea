import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { agentPrograms, askAgent, connectAgent, hindrance, type AgentProgram } from './agent-programs.js'
import { startFakeModel, type ModelStep } from './fake-model.js'
import { expect, test, type World } from './open-app.js'
import { agentIn, saveSession } from './recorded.js'
import { turnRow } from './window.js'

const prompt = 'Greet the moon'

/** What the model does with the prompt: it reads a file, changes it, and has another change rejected. */
function script({ toolPrefix }: AgentProgram): readonly ModelStep[] {
  const call = (tool: string, args: Readonly<Record<string, unknown>>): ModelStep => ({ kind: 'call', tool: `${toolPrefix}${tool}`, args })
  return [
    call('begin_turn', { prompt }),
    call('read_file', { path: 'greeting.txt' }),
    call('edit_file', { path: 'greeting.txt', old_text: 'world', new_text: 'moon' }),
    call('apply_patch', { patch: '--- /dev/null\n+++ b/farewell.txt\n@@ -0,0 +1 @@\n+bye\n' }),
    { kind: 'say', text: 'The moon is greeted.' },
  ]
}

/** A folder with a file, and a session of yesterday, so that the window has a list of sessions. */
async function fill(world: World): Promise<void> {
  await writeFile(join(world.workspace, 'greeting.txt'), 'hello\nworld\n')
  const agent = agentIn(world)
  agent.prompt('An older session')
  agent.write('older.txt', 'old\n')
  agent.reply()
  await saveSession(world, agent)
}

async function openQuestion(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: /^Approvals/ }).click()
  await page.getByRole('listbox', { name: 'Waiting' }).getByRole('option', { name }).click()
}

async function rejectInWindow(page: Page, reason: string): Promise<void> {
  await page.getByRole('group', { name: 'Decide' }).getByRole('button', { name: /^Reject/ }).click()
  await page.getByRole('textbox', { name: /^Reason, told to/ }).fill(reason)
  await page.keyboard.press('Enter')
}

async function rewindInWindow(page: Page, session: RegExp): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: /^Review/ }).click()
  await page.getByRole('listbox', { name: 'Sessions' }).getByRole('option', { name: session }).click()
  await turnRow(page, 1).click()
  await page.keyboard.press('r')
  await page.getByRole('button', { name: /^Rewind 1 file/ }).click()
}

test.describe('an agent', () => {
  test.use({ prepare: ({}, use) => use(fill) })

  for (const program of agentPrograms) {
    test(`that is ${program.name} edits through us: asked, approved, written, rewound`, async ({ openApp, world }) => {
      const why = hindrance(program)
      if (why !== null) process.stdout.write(`Skipped here: ${why}\n`)
      test.skip(why !== null, why ?? '')
      test.setTimeout(180_000)
      const read = (): Promise<string> => readFile(join(world.workspace, 'greeting.txt'), 'utf8')
      const model = await startFakeModel(script(program))
      await connectAgent(program, world)
      const { page } = await openApp()
      const agent = askAgent(program, world, model.url, prompt)
      try {
        const endedEarly = agent.ended.then((said) => Promise.reject(new Error(`${program.name} ended without a question. It said: ${said}`)))
        await Promise.race([openQuestion(page, /wants to change greeting\.txt/), endedEarly])
        expect(await read()).toBe('hello\nworld\n')
        await page.getByRole('button', { name: /^Approve the change/ }).click()
        await expect.poll(read).toBe('hello\nmoon\n')

        await openQuestion(page, /wants to create farewell\.txt/)
        await rejectInWindow(page, 'No farewell today')
        await agent.ended
        const told = model.told()
        expect(told.map((each, at) => [/Turn 1|"turn":1/, /world/, /\+moon/, /No farewell today/][at]?.test(each))).toEqual([true, true, true, true])
        await expect(readFile(join(world.workspace, 'farewell.txt'))).rejects.toThrow('ENOENT')

        await rewindInWindow(page, new RegExp(`^${prompt}, ${program.name} through Overturn`))
        await expect(page.getByRole('heading', { name: 'Rewound 1 file to the start of turn 1' })).toBeVisible()
        expect(await read()).toBe('hello\nworld\n')
      } finally {
        agent.kill()
        await model.close()
      }
    })
  }
})
