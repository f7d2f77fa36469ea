import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../build/bootstrap.cjs'
import { SimulatedAgent } from '../electron/testing/simulated-agent.js'
import { expect, test } from './open-app.js'
import { agentIn, saveSession, writeFiles } from './recorded.js'
import { diffSide, expectText, fileRow, turnRow, waitForSession } from './window.js'

const fixtures = join(root, 'electron', 'sessions', 'fixtures', 'qwen-code')

test.describe('first start', () => {
  test('opens the sample session with one key', async ({ ui }) => {
    await expect(ui.getByRole('button', { name: 'Open the sample session' })).toBeFocused()
    await ui.keyboard.press('Enter')
    await waitForSession(ui, 8)
    await expectText(diffSide(ui, 'after'), 'export function sum(')
  })

  test('says what it is for, and that nothing was found', async ({ ui }) => {
    await expect(ui.getByRole('heading', { name: 'See every turn. Take any of it back.' })).toBeVisible()
    await expect(ui.getByRole('heading', { name: 'No session yet' })).toBeVisible()
    await expect(ui.getByRole('listitem').filter({ hasText: 'qwen-code' })).not.toContainText('session in')
    await expect(ui.getByRole('button', { name: 'Map' })).toBeDisabled()
  })

  test('goes to what was open last', async ({ ui }) => {
    await ui.getByRole('button', { name: 'Open the sample session' }).click()
    await waitForSession(ui, 8)
    await ui.reload()
    await waitForSession(ui, 8)
    await ui.keyboard.press('Control+k')
    await ui.keyboard.type('close the session')
    await ui.keyboard.press('Enter')
    await expect(ui.getByRole('heading', { name: 'No session yet' })).toBeVisible()
  })
})

test.describe('sessions of an agent on this computer', () => {
  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const agent = agentIn(world, { 'a.ts': 'one\n' })
        agent.prompt('Make it two')
        agent.edit('a.ts', 'one', 'two')
        agent.reply()
        await agent.save(join(world.home, '.qwen'))
        await writeFiles(world.workspace, agent)
      }),
  })

  test('are found, and the newest opens with its number', async ({ ui }) => {
    await expect(ui.getByRole('listitem').filter({ hasText: 'qwen-code' })).toContainText('1 session in 1 workspace')
    await ui.keyboard.press('1')
    await waitForSession(ui, 1)
    await expect(fileRow(ui)).toHaveAccessibleName(/^a\.ts, modified, 1 added, 1 removed/)
  })
})

// Where the host has a dialog of its own for paths, that one is asked instead.
test.describe('a path that is typed', { tag: '@web' }, () => {
  test('opens a log, and says so where there is none', async ({ ui, world }) => {
    await cp(join(fixtures, 'small-edits', 'home'), world.home, { recursive: true })
    await expect(ui.getByRole('button', { name: 'Open a session file…' })).toBeVisible()
    await ui.keyboard.press('o')
    const dialog = ui.getByRole('dialog', { name: 'Open a session' })
    await ui.keyboard.type(join(world.home, 'nowhere.jsonl'))
    await ui.keyboard.press('Enter')
    await expect(dialog.getByRole('alert')).toContainText('There is no such folder or file.')
    await dialog.getByLabel('Path of a log or folder').fill(join(world.home, '.qwen'))
    await ui.keyboard.press('Enter')
    await expect(dialog).toBeHidden()
    await waitForSession(ui, 3)
  })

  test('attaches a folder to a session whose own is not here', async ({ openApp, world }) => {
    const agent = new SimulatedAgent({ 'a.ts': 'one\n' }, 100, '/nowhere/acme')
    agent.prompt('Make it two')
    agent.edit('a.ts', 'one', 'two')
    agent.reply()
    await saveSession(world, agent)
    const { page } = await openApp(['--sessions', world.sessions])
    await waitForSession(page, 1)
    const rewind = page.getByRole('button', { name: 'Rewind…' })
    await expect(rewind).toBeDisabled()
    await expect(page.getByRole('option', { name: /read only/ })).toBeVisible()
    await page.getByRole('button', { name: 'Attach a folder…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Attach a folder' })
    await dialog.getByLabel('Path of the folder').fill(world.workspace)
    await page.keyboard.press('Enter')
    await expect(dialog).toBeHidden()
    await expect(rewind).toBeEnabled()
    await page.keyboard.press('r')
    await expect(page.getByRole('heading', { name: 'Rewind to the start of turn 1' })).toBeVisible()
    await expect(page.getByRole('listbox', { name: 'Files of the rewind' }).getByRole('option')).toHaveAccessibleName(/^Restore, a\.ts/)
  })
})

test.describe('a log without file contents', () => {
  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        await cp(join(fixtures, 'headless', 'home', '.qwen', 'projects'), join(world.sessions, 'projects'), { recursive: true })
      }),
  })

  test('can be read, and says that files cannot be rewound', async ({ ui }) => {
    await expect(turnRow(ui, 1)).toBeVisible()
    await expect(ui.getByRole('slider', { name: 'Where the disk stands' })).toBeDisabled()
    await expect(ui.getByRole('button', { name: 'Rewind…' })).toBeDisabled()
    await ui.keyboard.press('r')
    await expect(ui.getByRole('status').filter({ hasText: 'Files cannot be rewound here.' })).toBeVisible()
  })
})
