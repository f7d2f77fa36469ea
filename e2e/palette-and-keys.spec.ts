import type { Page } from '@playwright/test'
import { expect, test } from './open-app.js'
import { agentIn, numbered, saveSession } from './recorded.js'
import { diffPane, diffSide, expectText, fileRow, selectTurn, turnRow, waitForSession } from './window.js'

test.use({
  prepare: ({}, use) =>
    use(async (world) => {
      const agent = agentIn(world, { 'src/money.ts': numbered(80), 'b.ts': 'one\n' })
      agent.prompt('Count in cents')
      agent.edit('src/money.ts', 'line 3\n', 'cents 3\n')
      agent.shell('npm run typecheck', () => undefined)
      agent.reply()
      agent.prompt('Also the other')
      agent.edit('b.ts', 'one', `two ${'and so on '.repeat(60)}`)
      agent.reply()
      await saveSession(world, agent)
    }),
})

async function run(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find or run' }).fill(words)
  await expect(page.getByRole('listbox', { name: 'What was found' }).getByRole('option').first()).toBeVisible()
  await page.keyboard.press('Enter')
}

const themeOf = (page: Page): Promise<string | null> => page.locator('html').getAttribute('data-theme')

test.describe('palette', () => {
  test('finds files, turns and commands of the session, and what the window can do', async ({ ui }) => {
    await waitForSession(ui, 2)
    await ui.keyboard.press('Control+k')
    const found = ui.getByRole('listbox', { name: 'What was found' }).getByRole('option')
    await expect(found.first()).toBeVisible()
    await ui.keyboard.type('money')
    await expect(found.filter({ hasText: 'src/money.ts' })).toHaveCount(1)
    await ui.keyboard.press('Enter')
    await expect(diffPane(ui).getByRole('heading', { name: 'src/money.ts' })).toBeVisible()
    await expect(turnRow(ui, 1)).toHaveAttribute('aria-selected', 'true')

    await ui.keyboard.press('Control+k')
    await ui.keyboard.type('other')
    await expect(found.first()).toContainText('Also the other')
    await ui.keyboard.press('Enter')
    await expect(turnRow(ui, 2)).toHaveAttribute('aria-selected', 'true')

    await ui.keyboard.press('Control+k')
    await ui.keyboard.type('typecheck')
    await expect(found.first()).toContainText('npm run typecheck')
    await ui.keyboard.press('Enter')
    await expect(ui.getByRole('region', { name: 'Transcript' }).getByRole('heading', { name: 'Turn 1' })).toBeVisible()
    await ui.keyboard.press('Escape')

    await ui.keyboard.press('Control+k')
    await ui.keyboard.type('zzz')
    await expect(ui.getByText('Nothing has these words.')).toBeVisible()
    await ui.keyboard.press('Escape')
    await expect(ui.getByRole('dialog', { name: 'Find or run' })).toBeHidden()
  })

  test('changes the theme, which else follows the system', async ({ ui }) => {
    await waitForSession(ui, 2)
    expect(await themeOf(ui)).toBe('light')
    await ui.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => themeOf(ui)).toBe('dark')
    await run(ui, 'theme')
    await expect.poll(() => themeOf(ui)).toBe('light')
    await expectText(diffSide(ui, 'after'), 'two')
    await run(ui, 'theme')
    await expect.poll(() => themeOf(ui)).toBe('dark')
    await ui.reload()
    await waitForSession(ui, 2)
    await ui.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => themeOf(ui)).toBe('dark')
  })
})

test.describe('keys', () => {
  test('are all on one sheet', async ({ ui }) => {
    await waitForSession(ui, 2)
    await ui.keyboard.press('?')
    const sheet = ui.getByRole('dialog', { name: 'All keys' })
    for (const label of ['Go to the next turn', 'Go to the next change', 'Rewind to the start of the selected turn', 'Take back this change', 'Find or run']) {
      await expect(sheet.getByText(label, { exact: true })).toBeVisible()
    }
    await ui.keyboard.press('Escape')
    await expect(sheet).toBeHidden()
  })

  test('do what they say, and nothing while they are off', async ({ ui }) => {
    await waitForSession(ui, 2)

    await test.step('V and W lay out the diff', async () => {
      await expect(ui.getByRole('button', { name: 'Side by side' })).toHaveAttribute('aria-pressed', 'true')
      await ui.keyboard.press('v')
      await expect(ui.getByRole('button', { name: 'In one column' })).toHaveAttribute('aria-pressed', 'true')
      await ui.keyboard.press('w')
      await expect(ui.getByRole('button', { name: 'Wrap long lines' })).toHaveAttribute('aria-pressed', 'true')
      await ui.keyboard.press('v')
    })
    await test.step('1 and 2 change the view', async () => {
      await ui.keyboard.press('2')
      await expect(ui.getByRole('region', { name: 'Map of files and turns' })).toBeVisible()
      await ui.keyboard.press('1')
      await expect(diffPane(ui)).toBeVisible()
    })
    await test.step('F6 goes from pane to pane', async () => {
      await ui.keyboard.press('F6')
      await expect(ui.getByRole('listbox', { name: 'Changed files' })).toBeFocused()
      await ui.keyboard.press('Shift+F6')
      await expect(ui.getByRole('listbox', { name: 'Timeline' })).toBeFocused()
      await ui.keyboard.press('Shift+F6')
      await expect(ui.getByRole('listbox', { name: 'Sessions' })).toBeFocused()
      await ui.keyboard.press('F6')
    })
    await test.step('D goes to the playhead', async () => {
      await selectTurn(ui, 1)
      await ui.keyboard.press('d')
      await expect(turnRow(ui, 2)).toHaveAttribute('aria-selected', 'true')
    })
    await test.step('/ finds a turn', async () => {
      await ui.keyboard.press('/')
      await ui.keyboard.type('cents')
      await ui.keyboard.press('Enter')
      await expect(turnRow(ui, 1)).toHaveAttribute('aria-selected', 'true')
      await ui.keyboard.press('Escape')
      await expect(ui.getByPlaceholder('Number or words of a turn')).toBeHidden()
    })
    await test.step('Space marks the file, also from the diff', async () => {
      await diffSide(ui, 'after').locator('.view-lines').first().click()
      await ui.keyboard.press('Space')
      await expect(fileRow(ui, 'src/money.ts')).toBeChecked()
      await ui.keyboard.press('Space')
      await expect(fileRow(ui, 'src/money.ts')).not.toBeChecked()
    })
    await test.step('they can be turned off, and on again', async () => {
      await run(ui, 'single keys')
      await expect(ui.getByText('Single keys are off')).toBeVisible()
      await ui.keyboard.press('2')
      await ui.keyboard.press('r')
      await expect(diffPane(ui)).toBeVisible()
      await run(ui, 'single keys')
      await ui.keyboard.press('2')
      await expect(ui.getByRole('region', { name: 'Map of files and turns' })).toBeVisible()
    })
  })
})
