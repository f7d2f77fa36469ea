import { appendFile, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { SimulatedAgent } from '../electron/testing/simulated-agent.js'
import { expect, test } from './open-app.js'
import { agentIn, saveSession, writeFiles } from './recorded.js'
import { fileRow, turnRow, waitForSession } from './window.js'

test.describe('a session that is still written', () => {
  test('grows while it is looked at, and what is selected stays', async ({ openApp, world }) => {
    const agent = agentIn(world, { 'a.ts': 'one\n' })
    agent.prompt('Make it two')
    agent.edit('a.ts', 'one', 'two')
    agent.reply()
    const log = await saveSession(world, agent)
    const { page } = await openApp()
    await waitForSession(page, 1)
    await expect(fileRow(page, 'a.ts')).toBeVisible()

    const written = agent.log.lines.length
    agent.prompt('Make it three')
    agent.edit('a.ts', 'two', 'three')
    agent.edit('a.ts', 'three', 'three\nfour')
    agent.reply()
    const { backupHome } = await agent.save(join(world.home, 'elsewhere'))
    await cp(backupHome, join(world.sessions, 'file-history'), { recursive: true })
    await writeFiles(world.workspace, agent)
    agent.log.reply('Done just now.', { timestamp: new Date().toISOString() })
    const [first = '', ...rest] = agent.log.lines.slice(written).map((line) => `${line}\n`)
    // A line that is only half there is no record yet.
    await appendFile(log, first.slice(0, 40))
    await appendFile(log, first.slice(40) + rest.join(''))
    await expect(turnRow(page, 2)).toHaveAccessibleName('Turn 2: Make it three, 1 file, 2 added, 1 removed')
    await expect(turnRow(page, 1)).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('option', { name: /^Make it two, qwen-code, Live/ })).toBeVisible()
    await page.keyboard.press('r')
    await expect(page.getByRole('note')).toHaveText(/^qwen-code may still be at work in this session and is not told of a rewind\./)
  })

  test('appears in the list when it begins', async ({ openApp, world }) => {
    const agent = agentIn(world, { 'a.ts': 'one\n' })
    agent.prompt('The first')
    agent.edit('a.ts', 'one', 'two')
    agent.reply()
    await saveSession(world, agent)
    const { page } = await openApp()
    await waitForSession(page, 1)
    const other = new SimulatedAgent({}, 100, '/nowhere/other')
    other.prompt('The second')
    other.reply()
    await other.save(world.sessions)
    await expect(page.getByRole('option', { name: /^The second, qwen-code/ })).toBeVisible()
    await page.getByRole('option', { name: /^The second, qwen-code/ }).click()
    await expect(page.getByRole('heading', { name: 'The second' })).toBeVisible()
    await page.getByRole('option', { name: /^The first, qwen-code/ }).click()
    await expect(page.getByRole('heading', { name: 'The first' })).toBeVisible()
  })
})
