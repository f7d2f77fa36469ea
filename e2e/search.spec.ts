import type { Page } from '@playwright/test'
import { SimulatedAgent } from '../electron/testing/simulated-agent.js'
import { connectAgent } from './connected-agent.js'
import { expect, test, type World } from './open-app.js'
import { agentIn, saveSession } from './recorded.js'
import { comeBack, diffPane, diffSide, fileRow, selectTurn, turnRow, waitForSession } from './window.js'

/** Two sessions: one in the folder that is open, in two turns, and one of a folder that is not here. */
async function saveTwo(world: World): Promise<void> {
  const other = new SimulatedAgent({ 'b.ts': 'start\n' }, 100, '/nowhere/other')
  other.prompt('Look at the rates elsewhere')
  other.reply()
  await other.save(world.sessions)
  const agent = agentIn(world, { 'src/tax.ts': 'one\ntwo\nthree\n', 'README.md': 'shop\n' })
  agent.prompt('Add the standard rates')
  agent.edit('src/tax.ts', 'two\n', 'two\nrates standard\n')
  agent.reply()
  agent.prompt('Say it in the readme')
  agent.edit('README.md', 'shop', 'a shop with rates')
  agent.edit('src/tax.ts', 'one', 'zero\none')
  agent.reply()
  await saveSession(world, agent)
}

/** Opens the newer of the two, in the folder that is here. */
async function openRates(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open 2' }).click()
  await waitForSession(page, 2)
}

const results = (page: Page) => page.getByRole('listbox', { name: 'What was found' })

test.describe('the search over all sessions', () => {
  test.use({ prepare: ({}, use) => use(saveTwo) })

  test('finds prompts and changed lines, and opens the turn at its change', async ({ ui }) => {
    await openRates(ui)
    await ui.keyboard.press('Control+Shift+f')
    await expect(ui.getByRole('combobox', { name: 'Search all sessions' })).toBeFocused()
    await ui.keyboard.type('rates')
    await expect(results(ui).getByRole('option', { name: /^Look at the rates elsewhere, prompt/ })).toBeVisible()
    await expect(ui.getByRole('region', { name: 'Search' }).getByRole('status')).toHaveText(/^\d+ hits in 2 sessions$/)
    await results(ui).getByRole('option', { name: /^rates standard, changed text, turn 1, src\/tax\.ts/ }).click()
    await expect(turnRow(ui, 1)).toHaveAttribute('aria-selected', 'true')
    await expect(fileRow(ui, 'src/tax.ts')).toHaveAttribute('aria-selected', 'true')
    await expect(diffPane(ui).getByRole('status').first()).toHaveText('Change 1 of 1')
  })

  test('is worked from the keyboard alone, and is still there when one comes back', async ({ ui }) => {
    await openRates(ui)
    await ui.keyboard.press('4')
    await ui.keyboard.type('rates')
    await expect(results(ui).getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
    await ui.keyboard.press('Escape')
    await expect(results(ui)).toBeFocused()
    await ui.keyboard.press('j')
    await expect(results(ui).getByRole('option').nth(1)).toHaveAttribute('aria-selected', 'true')
    await ui.keyboard.press('Enter')
    await expect(results(ui)).toBeHidden()
    await ui.keyboard.press('Control+Shift+f')
    await expect(results(ui).getByRole('option').nth(1)).toHaveAttribute('aria-selected', 'true')
    await ui.keyboard.press('Escape')
    await ui.keyboard.press('Escape')
    await expect(ui.getByRole('listbox', { name: 'Timeline' })).toBeVisible()
  })

  test('is narrowed by kind and by a path that was touched', async ({ ui }) => {
    await openRates(ui)
    await ui.keyboard.press('Control+Shift+f')
    await ui.keyboard.type('rates')
    await expect(results(ui).getByRole('option').nth(2)).toBeVisible()
    await ui.getByRole('checkbox', { name: 'Prompts' }).click()
    await expect(results(ui).getByRole('option')).toHaveCount(2)
    await ui.getByRole('textbox', { name: 'Touched this path' }).fill('tax.ts')
    await expect(results(ui).getByRole('option')).toHaveCount(1)
    await ui.getByRole('button', { name: 'Clear' }).click()
    await expect(results(ui).getByRole('option').nth(2)).toBeVisible()
    await ui.getByRole('combobox', { name: 'Search all sessions' }).fill('nowhere to be found')
    await expect(ui.getByRole('heading', { name: 'Nothing has these words' })).toBeVisible()
  })
})

test.describe('why a line is there', () => {
  test.use({ prepare: ({}, use) => use(saveTwo) })

  test('is told from the line as it stands on the disk, and leads to the turn that wrote it', async ({ ui }) => {
    await openRates(ui)
    await selectTurn(ui, 1)
    await fileRow(ui, 'src/tax.ts').click()
    await expect(diffPane(ui).getByRole('status').first()).toHaveText('Change 1 of 1')
    await selectTurn(ui, 2)
    await fileRow(ui, 'src/tax.ts').click()
    // The pointer asks about a line that an earlier turn wrote.
    await diffSide(ui, 'after').getByText('rates standard').hover()
    await ui.getByRole('button', { name: 'Why is this line here?' }).click()
    const why = ui.getByRole('region', { name: 'Why this line is here' })
    await expect(why.getByRole('heading')).toHaveText('Why line 4 of src/tax.ts is here')
    await expect(why.getByText('Add the standard rates').last()).toBeVisible()
    await ui.keyboard.press('Control+Enter')
    await expect(turnRow(ui, 1)).toHaveAttribute('aria-selected', 'true')
    await expect(why).toBeHidden()
  })

  test('is told of the change that is looked at by its key, and not of what nobody recorded', async ({ ui }) => {
    await openRates(ui)
    await fileRow(ui, 'README.md').click()
    await expect(diffPane(ui).getByRole('status').first()).toHaveText('Change 1 of 1')
    await ui.keyboard.press('y')
    const why = ui.getByRole('region', { name: 'Why this line is here' })
    await expect(why.getByText('Say it in the readme').last()).toBeVisible()
    await ui.keyboard.press('Escape')
    await expect(why).toBeHidden()
    await fileRow(ui, 'src/tax.ts').click()
    await diffSide(ui, 'after').getByText('three').hover()
    await ui.getByRole('button', { name: 'Why is this line here?' }).click()
    await expect(why.getByText('not recorded')).toBeVisible()
  })
})

test.describe('an agent that begins to work', () => {
  test('has its session opened by itself on the first screen', async ({ openApp, world }) => {
    const { page } = await openApp([])
    await expect(page.getByRole('button', { name: 'Open the sample session' })).toBeVisible()
    const agent = await connectAgent(world)
    await agent.call('begin_turn', { prompt: 'Add a readme' })
    await expect(turnRow(page, 1)).toHaveAccessibleName(/^Turn 1: Add a readme/)
    await agent.close()
  })

  test('is told of where another session is open', async ({ openApp, world }) => {
    await saveTwo(world)
    const { page } = await openApp()
    await openRates(page)
    const agent = await connectAgent(world)
    await agent.call('begin_turn', { prompt: 'Add a readme' })
    await expect(page.getByText('Claude Code began to work in workspace.')).toBeVisible()
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await expect(turnRow(page, 1)).toHaveAccessibleName(/^Turn 1: Add a readme/)
    await agent.close()
  })
})

test.describe('a reload', () => {
  test.use({ prepare: ({}, use) => use(saveTwo) })

  test('comes back to the turn and the scope', async ({ ui }) => {
    await openRates(ui)
    await selectTurn(ui, 1)
    await ui.getByRole('radio', { name: 'To disk' }).click()
    await ui.reload()
    await expect(turnRow(ui, 1)).toHaveAttribute('aria-selected', 'true')
    await expect(ui.getByRole('radio', { name: 'To disk' })).toBeChecked()
    await comeBack(ui)
    await expect(turnRow(ui, 1)).toHaveAttribute('aria-selected', 'true')
  })
})
