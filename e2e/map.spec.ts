import { expect, test } from './open-app.js'
import { agentIn, saveSession } from './recorded.js'
import { diffPane, diffSide, expectText, fileRow, selectTurn, turnRow, waitForSession } from './window.js'

test.use({
  prepare: ({}, use) =>
    use(async (world) => {
      const agent = agentIn(world, { 'src/a.ts': 'one\n', 'src/b.ts': 'one\n', 'z.ts': 'one\n' })
      agent.prompt('First')
      agent.edit('z.ts', 'one', 'two')
      agent.edit('src/a.ts', 'one', 'two\nthree')
      agent.reply()
      agent.prompt('Second')
      agent.edit('src/b.ts', 'one', 'two')
      agent.write('src/new.ts', 'new\n')
      agent.reply()
      agent.prompt('Third')
      agent.reply()
      await saveSession(world, agent)
    }),
})

test.describe('map', () => {
  test('shows which file changed in which turn, and opens the change', async ({ ui }) => {
    await waitForSession(ui, 3)
    await ui.keyboard.press('2')
    const grid = ui.getByRole('grid')
    await expect(grid.getByRole('gridcell', { name: 'src/a.ts, turn 1, modified, 3 lines, recorded edit' })).toBeVisible()
    await expect(grid.getByRole('gridcell', { name: 'src/new.ts, turn 2, added, 1 line, recorded edit' })).toBeVisible()
    await expect(grid.getByRole('gridcell', { name: /^z\.ts, turn 2/ })).toHaveCount(0)

    await grid.getByRole('gridcell', { name: /^src\/a\.ts, turn 1/ }).click()
    await ui.keyboard.press('ArrowRight')
    await expect(grid.getByRole('gridcell', { name: 'src/a.ts, turn 2, not changed' })).toHaveAttribute('aria-selected', 'true')
    await ui.keyboard.press('j')
    await ui.keyboard.press('Enter')
    await expect(turnRow(ui, 2)).toHaveAttribute('aria-selected', 'true')
    await expect(diffPane(ui).getByRole('heading', { name: 'src/b.ts' })).toBeVisible()
    await expectText(diffSide(ui, 'after'), 'two')
  })

  test('orders and groups its files, selects ranges, and rewinds', async ({ ui }) => {
    await waitForSession(ui, 3)
    await selectTurn(ui, 2)
    await ui.keyboard.press('2')
    const files = ui.getByRole('grid').getByRole('rowheader')
    await expect(files).toContainText(['src/a.ts', 'src/b.ts', 'src/new.ts', 'z.ts', 'Each turn'])
    await ui.getByRole('radio', { name: 'By first change' }).click()
    await expect(files).toContainText(['src/a.ts', 'z.ts', 'src/b.ts', 'src/new.ts', 'Each turn'])
    await ui.getByRole('radio', { name: 'By path' }).click()
    await ui.keyboard.press('g')
    await expect(files).toContainText(['src/3 files', './1 file', 'Each turn'])
    await ui.keyboard.press('g')
    await ui.getByRole('gridcell', { name: /^src\/b\.ts, turn 2/ }).click()
    await ui.keyboard.press('Shift+ArrowRight')
    await ui.keyboard.press('Escape')
    await expect(ui.getByRole('radio', { name: 'Range 2–3' })).toBeChecked()
    await expect(fileRow(ui)).toHaveCount(2)
    await ui.keyboard.press('2')
    await ui.keyboard.press('r')
    await expect(ui.getByRole('heading', { name: 'Rewind to the start of turn 2' })).toBeVisible()
  })
})
