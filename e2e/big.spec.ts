import { expect, test } from './open-app.js'
import { agentIn, saveSession } from './recorded.js'
import { diffSide, expectText, fileRow, turnRow, waitForSession } from './window.js'

const turns = 2_000

test.describe('a session of 2,000 turns', () => {
  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const agent = agentIn(world, { 'first.ts': 'zero\n' })
        for (let turn = 1; turn <= turns; turn++) {
          agent.prompt(turn === 1 ? 'The very first' : `Prompt number ${turn}`)
          if (turn % 10 === 1) agent.write(`part-${turn % 7}.ts`, `turn ${turn}\n`)
          agent.reply()
        }
        await saveSession(world, agent)
      }),
  })

  test('opens at its end, and its beginning is one key away', async ({ ui }) => {
    await waitForSession(ui, turns)
    const list = ui.getByRole('listbox', { name: 'Timeline' })
    // Only what is on screen is in the page.
    expect(await list.getByRole('option').count()).toBeLessThan(80)
    await ui.keyboard.press('Home')
    await expect(turnRow(ui, 1)).toHaveAttribute('aria-selected', 'true')
    await expect(fileRow(ui, 'part-1.ts')).toBeVisible()
    await expectText(diffSide(ui, 'after'), 'turn 1')
    await ui.keyboard.press('/')
    await ui.keyboard.type('1001')
    await expect(turnRow(ui, 1001)).toHaveAttribute('aria-selected', 'true')
    await ui.keyboard.press('Escape')
    await ui.keyboard.press('End')
    await expect(turnRow(ui, turns)).toHaveAttribute('aria-selected', 'true')
    await list.hover()
    await ui.mouse.wheel(0, -100_000)
    await expect(ui.getByRole('button', { name: 'Disk is here' })).toBeVisible()
  })
})
