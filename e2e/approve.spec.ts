import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { connectAgent, type ConnectedAgent } from './connected-agent.js'
import { expect, test, type World } from './open-app.js'
import { fileRow, turnRow } from './window.js'

const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`)
const text = lines.join('')
const proposed = text.replace('line 3\n', 'line three\n').replace('line 30\n', 'line thirty\nand more\n')

test.use({
  prepare: async ({}, use) => {
    await use(async (world) => {
      await writeFile(join(world.workspace, 'a.txt'), text)
    })
  },
})

const onDisk = (world: World, name = 'a.txt'): Promise<string> => readFile(join(world.workspace, name), 'utf8')

async function openApprovals(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: /^Approvals/ }).click()
}

function question(page: Page): Locator {
  return page.getByRole('region', { name: 'Question' })
}

async function beginAgent(world: World, flags: readonly string[] = []): Promise<ConnectedAgent> {
  const agent = await connectAgent(world, { flags })
  await agent.call('begin_turn', { prompt: 'Change the file' })
  return agent
}

test.describe('approvals of a connected agent', () => {
  test('write just the hunks that were ticked; the turn is there at once, and can be rewound', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world)
    const answer = agent.call('write_file', { path: 'a.txt', content: proposed })
    await expect(question(ui).getByRole('heading', { name: 'Claude Code wants to change a.txt' })).toBeVisible()
    await expect(ui).toHaveTitle('(1) Overturn')
    await question(ui).getByRole('checkbox', { name: 'Take hunk 2 of 2' }).click()
    await expect(question(ui).getByText('hunk 2 was left out')).toBeVisible()
    expect(await onDisk(world)).toBe(text)
    await question(ui).getByRole('button', { name: 'Approve 1 of 2 hunks' }).click()
    const { text: told, isError } = await answer
    const written = text.replace('line 3\n', 'line three\n')
    expect([isError, told.includes('hunk 2 left out by the person'), await onDisk(world)]).toEqual([false, true, written])
    await expect(ui).toHaveTitle('Overturn')
    await expect(ui.getByText(/^History [1-9]/)).toBeVisible()

    await ui.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: /^Review/ }).click()
    await ui.getByRole('option', { name: /^Change the file/ }).or(ui.getByRole('button', { name: /^Open 1/ })).first().click()
    await expect(turnRow(ui, 1)).toHaveAccessibleName(/^Turn 1: Change the file, 1 file, 1 added, 1 removed/)
    await expect(fileRow(ui, 'a.txt')).toBeVisible()
    await turnRow(ui, 1).click()
    await ui.keyboard.press('r')
    await expect(ui.getByRole('note')).toHaveText('Claude Code is at work in this session. It is told of the rewind with its next edit or command.')
    await ui.getByRole('button', { name: /^Rewind 1 file/ }).click()
    await expect.poll(() => onDisk(world)).toBe(text)

    const next = agent.call('write_file', { path: 'b.txt', content: 'more\n' })
    await openApprovals(ui)
    await question(ui).getByRole('button', { name: /^Approve/ }).first().click()
    expect((await next).text).toContain('[The person rewound a.txt. Read before you edit there again.]')
    await agent.close()
  })

  test('write what the person typed, and the agent is told', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world)
    const answer = agent.call('edit_file', { path: 'a.txt', old_text: 'line 3\n', new_text: 'line three\n' })
    await expect(question(ui).getByRole('button', { name: /^Approve/ }).first()).toBeEnabled()
    await question(ui).locator('.editor.modified .view-line', { hasText: 'three' }).click()
    await ui.keyboard.press('End')
    await ui.keyboard.type(' and a half')
    await expect(question(ui).getByText(/line \d+ was changed by you/)).toBeVisible()
    await ui.keyboard.press('Escape')
    await question(ui).getByRole('button', { name: /^Approve/ }).first().click()
    const { text: told } = await answer
    expect([told.includes('changed your text'), await onDisk(world)]).toEqual([true, text.replace('line 3\n', 'line three and a half\n')])
    await agent.close()
  })

  test('show the word that changes, far to the right in a long line', async ({ ui, world }) => {
    const long = `${'one word and another '.repeat(40)}before\n`
    await writeFile(join(world.workspace, 'long.txt'), long)
    await openApprovals(ui)
    const agent = await beginAgent(world)
    const answer = agent.call('edit_file', { path: 'long.txt', old_text: 'before', new_text: 'afterwards' })
    const [word, side] = [question(ui).locator('.editor.modified .char-insert').last(), question(ui).locator('.editor.modified')]
    await expect
      .poll(async () => {
        const [inner, outer] = [await word.boundingBox(), await side.boundingBox()]
        return inner !== null && outer !== null && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width
      })
      .toBe(true)
    await question(ui).getByRole('button', { name: /^Approve/ }).first().click()
    expect((await answer).isError).toBe(false)
    expect(await onDisk(world, 'long.txt')).toBe(long.replace('before', 'afterwards'))
    await agent.close()
  })

  test('write nothing when the file changed meanwhile, and show the fresh diff', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world)
    const answer = agent.call('edit_file', { path: 'a.txt', old_text: 'line 3\n', new_text: 'line three\n' })
    const approve = question(ui).getByRole('button', { name: /^Approve/ }).first()
    await expect(approve).toBeEnabled()
    const typed = text.replace('line 20\n', 'typed by me\n')
    await writeFile(join(world.workspace, 'a.txt'), typed)
    await expect(question(ui).getByText('Nothing was written.')).toBeVisible()
    expect(await onDisk(world)).toBe(typed)
    await approve.click()
    await answer
    expect(await onDisk(world)).toBe(typed.replace('line 3\n', 'line three\n'))
    await agent.close()
  })

  test('tell the agent why a change was rejected', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world)
    const answer = agent.call('edit_file', { path: 'a.txt', old_text: 'line 3\n', new_text: 'line three\n' })
    await expect(question(ui).getByRole('button', { name: /^Approve/ }).first()).toBeEnabled()
    await ui.keyboard.press('x')
    await ui.keyboard.type('Keep the digits')
    await ui.keyboard.press('Enter')
    const { text: told, isError } = await answer
    expect([isError, told.includes('Keep the digits'), await onDisk(world)]).toEqual([true, true, text])
    await agent.close()
  })

  test('take a patch over several files as one, with a file left out', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world)
    const patch = '*** Begin Patch\n*** Add File: new/one.txt\n+one\n*** Add File: two.txt\n+two\n*** Update File: a.txt\n@@\n-line 3\n+line three\n*** End Patch\n'
    const answer = agent.call('apply_patch', { patch })
    const files = question(ui).getByRole('list', { name: 'Files of the patch' })
    await files.getByRole('checkbox', { name: /two\.txt/ }).click()
    await question(ui).getByRole('button', { name: /^Approve/ }).first().click()
    const { isError } = await answer
    expect([isError, (await readdir(world.workspace)).sort(), await onDisk(world, 'new/one.txt'), await onDisk(world)]).toEqual([false, ['a.txt', 'new'], 'one\n', text.replace('line 3\n', 'line three\n')])
    await agent.close()
  })

  test('show a command part by part, run it, and store a rule that is exact', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world)
    const answer = agent.call('run_command', { command: 'git --version && touch made.txt' })
    const parts = question(ui).getByRole('list', { name: 'Parts of the command' })
    await expect(parts.getByRole('listitem').filter({ hasText: 'touch made.txt' })).toContainText('Asks')
    await question(ui).getByRole('button', { name: /Always allow exactly touch made\.txt/ }).click()
    await ui.getByRole('group', { name: 'Store a rule' }).getByRole('button', { name: /^(Store|Run|Always)/ }).last().click()
    const { text: told } = await answer
    expect([told.includes('made.txt (created)'), told.includes('Exit code 0')]).toEqual([true, true])
    const again = await agent.call('run_command', { command: 'touch made.txt' })
    const wider = agent.call('run_command', { command: 'touch made.txt other.txt' })
    await expect(question(ui).getByText('touch made.txt other.txt').first()).toBeVisible()
    await ui.keyboard.press('x')
    await ui.keyboard.press('Enter')
    expect([again.isError, (await wider).isError, (await readdir(world.workspace)).sort()]).toEqual([false, true, ['a.txt', 'made.txt']])
    await ui.getByRole('button', { name: 'Policy' }).click()
    await ui.getByRole('region', { name: 'Policy' }).getByRole('button', { name: /^Remove/ }).click()
    await expect(ui.getByRole('region', { name: 'Policy' }).getByText('touch made.txt')).toHaveCount(0)
    await agent.close()
  })

  test('make a sed command an edit, and write nothing when the file changed after the preview', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world)
    const answer = agent.call('run_command', { command: "sed -i 's/line 3$/line three/' a.txt" })
    await expect(question(ui).getByText(/sed -i, simulated/).first()).toBeVisible()
    await question(ui).getByRole('button', { name: /^Approve/ }).first().click()
    await answer
    const written = text.replace('line 3\n', 'line three\n')
    expect(await onDisk(world)).toBe(written)

    const second = agent.call('run_command', { command: "sed -i 's/line 4$/line four/' a.txt" })
    const approve = question(ui).getByRole('button', { name: /^Approve/ }).first()
    await expect(approve).toBeEnabled()
    await writeFile(join(world.workspace, 'a.txt'), 'all is new\n')
    await approve.click()
    const { text: told, isError } = await second
    expect([isError, told.includes('FILE_CHANGED_SINCE_READ'), await onDisk(world)]).toEqual([true, true, 'all is new\n'])
    await agent.close()
  })

  test('let nothing be written in plan mode before the plan is approved', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world, ['--mode', 'plan'])
    const early = await agent.call('write_file', { path: 'a.txt', content: 'x' })
    const plan = agent.call('submit_plan', { plan: '# The plan\n\nChange **line 3** only.\n\n<img src=x onerror=alert(1)>', files: ['a.txt'] })
    await expect(question(ui).getByRole('heading', { name: 'The plan' })).toBeVisible()
    await expect(question(ui).locator('img')).toHaveCount(0)
    await question(ui).getByRole('button', { name: /^Approve/ }).click()
    await plan
    const later = agent.call('edit_file', { path: 'a.txt', old_text: 'line 3\n', new_text: 'line three\n' })
    await question(ui).getByRole('button', { name: /^Approve/ }).first().click()
    expect([early.isError, early.text.includes('PLAN_NOT_APPROVED'), (await later).isError, await onDisk(world)]).toEqual([true, true, false, text.replace('line 3\n', 'line three\n')])
    await agent.close()
  })

  test('are refused when the agent goes, and nothing is written', async ({ ui, world }) => {
    await openApprovals(ui)
    const agent = await beginAgent(world)
    agent.call('write_file', { path: 'a.txt', content: proposed }).catch(() => undefined)
    await expect(question(ui).getByRole('button', { name: /^Approve/ }).first()).toBeEnabled()
    await agent.close()
    await expect(question(ui).getByRole('button', { name: /^Approve/ })).toHaveCount(0)
    expect(await onDisk(world)).toBe(text)
  })

  test('are shown by a window that was opened after the agent connected', async ({ openApp, world }) => {
    const agent = await beginAgent(world)
    const answer = agent.call('edit_file', { path: 'a.txt', old_text: 'line 3\n', new_text: 'line three\n' })
    const { page } = await openApp()
    await openApprovals(page)
    await question(page).getByRole('button', { name: /^Approve/ }).first().click()
    const { isError } = await answer
    expect([isError, await onDisk(world)]).toEqual([false, text.replace('line 3\n', 'line three\n')])
    await agent.close()
  })
})

test.describe('what a person types in the middle of a turn', () => {
  test('is an entry of the timeline, with a diff of its own', async ({ ui, world }) => {
    const agent = await beginAgent(world, ['--mode', 'review-after'])
    await agent.call('edit_file', { path: 'a.txt', old_text: 'line 3\n', new_text: 'line three\n' })
    await writeFile(join(world.workspace, 'a.txt'), (await onDisk(world)).replace('line 20\n', 'line 20, typed\n'))
    await agent.call('edit_file', { path: 'a.txt', old_text: 'line 30\n', new_text: 'line thirty\n' })
    await ui.getByRole('option', { name: /^Change the file/ }).or(ui.getByRole('button', { name: /^Open 1/ })).first().click()
    const turn = turnRow(ui, 1)
    await expect(turn).toHaveAccessibleName(/1 file, 2 added, 2 removed, You edited 1 file meanwhile/)
    await turn.getByText('You edited 1 file meanwhile').click()
    await expect(fileRow(ui, 'a.txt')).toHaveAccessibleName(/1 added, 1 removed/)
    await agent.close()
  })
})
