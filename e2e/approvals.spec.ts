import { expect, test } from './open-app.js'

test.describe('approvals', () => {
  test('are one key away, and say what they are for while nothing waits', async ({ ui }) => {
    await expect(ui.getByRole('button', { name: 'Open the sample session' })).toBeVisible()
    await ui.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Approvals' }).click()
    await expect(ui.getByRole('heading', { name: 'Nothing waits.' })).toBeVisible()
    await expect(ui).toHaveTitle('Overturn')
  })

  test('show how an agent is connected, with the exact command', async ({ ui }) => {
    await expect(ui.getByRole('button', { name: 'Open the sample session' })).toBeVisible()
    await ui.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Approvals' }).click()
    await ui.keyboard.press('c')
    const panel = ui.getByRole('tabpanel', { name: 'Claude Code' })
    await expect(panel.getByText(/claude mcp add -s local overturn/)).toBeVisible()
    await expect(panel.getByRole('status')).toHaveText(/^Waiting for Claude Code/)
    await ui.getByRole('tab', { name: 'Codex' }).click()
    await expect(ui.getByRole('tabpanel', { name: 'Codex' })).toBeVisible()
    await ui.keyboard.press('Escape')
    await expect(ui.getByRole('heading', { name: 'Nothing waits.' })).toBeVisible()
  })

  test('keep the policy in a file, and change it from the window', async ({ ui }) => {
    await expect(ui.getByRole('button', { name: 'Open the sample session' })).toBeVisible()
    await ui.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: 'Approvals' }).click()
    await ui.getByRole('button', { name: 'Policy' }).click()
    const redact = ui.getByRole('switch', { name: /Take secrets out of results/ })
    const before = await redact.isChecked()
    await redact.click()
    await expect(redact).toBeChecked({ checked: !before })
    await ui.keyboard.press('Escape')
    await ui.getByRole('button', { name: 'Policy' }).click()
    await expect(redact).toBeChecked({ checked: !before })
  })
})
