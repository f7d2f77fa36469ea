import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from './open-app.js'
import { diffPane, expectText, planRow, selectTurn, waitForSession } from './window.js'

/** What axe finds that keeps people out. The editor's own inside is not ours. */
async function findings(page: Page, target: string): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).exclude('.monaco-editor')
  // Electron opens no second page, which axe would like to have.
  const { violations } = await axe.setLegacyMode(target === 'electron').analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme })

    test('no screen keeps anyone out', async ({ ui, target }) => {
      test.setTimeout(120_000)
      const check = (name: string): Promise<void> => test.step(name, async () => expect(await findings(ui, target), name).toEqual([]))
      await expect(ui.getByRole('button', { name: 'Open the sample session' })).toBeFocused()
      await check('first run')
      await ui.keyboard.press('Enter')
      await waitForSession(ui, 8)
      await expectText(diffPane(ui).locator('.editor.modified'), 'sum')
      await check('review')
      await ui.keyboard.press('v')
      await selectTurn(ui, 6)
      await expect(diffPane(ui)).toBeVisible()
      await check('review in one column, with an unknown file')
      await ui.keyboard.press('Enter')
      await expect(ui.getByRole('region', { name: 'Transcript' }).getByRole('article').first()).toBeVisible()
      await check('transcript')
      await ui.keyboard.press('Escape')
      await ui.keyboard.press('2')
      await expect(ui.getByRole('grid')).toBeVisible()
      await check('map')
      await ui.keyboard.press('Control+k')
      await expect(ui.getByRole('listbox', { name: 'What was found' })).toBeVisible()
      await check('palette')
      await ui.keyboard.press('Escape')
      await ui.keyboard.press('?')
      await expect(ui.getByRole('dialog', { name: 'All keys' })).toBeVisible()
      await check('keys')
      await ui.keyboard.press('Escape')
      await ui.keyboard.press('1')
      if (target === 'web') {
        await ui.keyboard.press('o')
        await expect(ui.getByRole('dialog', { name: 'Open a session' })).toBeVisible()
        await check('path')
        await ui.keyboard.press('Escape')
      }
      await selectTurn(ui, 8)
      await expect(diffPane(ui).getByRole('status')).toHaveText(/^Change 1 of/)
      await ui.keyboard.press('t')
      await expect(ui.getByRole('dialog', { name: /^Take back change 1/ }).locator('.editor.modified')).toBeVisible()
      await check('take back')
      await ui.keyboard.press('Escape')
      await ui.keyboard.press('r')
      await expect(planRow(ui, 'src/cart/total.ts')).toBeVisible()
      await check('rewind')
      await ui.keyboard.press('Control+Enter')
      await expect(ui.getByRole('heading', { name: /^Rewound/ })).toBeVisible()
      await check('receipt')
    })
  })
}
