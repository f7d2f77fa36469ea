import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import type { SimulatedAgent } from '../electron/testing/simulated-agent.js'
import { expect, test, type World } from './open-app.js'
import { agentIn, numbered, saveSession, treeAt, treeOf } from './recorded.js'
import { comeBack, diffPane, diffSide, expectText, fileRow, planRow, receiptRow, restingBox, selectTurn, waitForSession } from './window.js'

const picture = Buffer.from([0x89, 0x50, 0, 1, 2, 0xff, 0xfe])

/** Three turns over text, bytes and folders; what was true at each prompt stays in the agent. */
function record(world: World): SimulatedAgent {
  const agent = agentIn(world, { 'a.ts': numbered(30), 'b.ts': 'alpha\r\nbeta\r\n', 'logo.png': picture })
  agent.prompt('Set up')
  agent.edit('a.ts', 'line 5\n', 'line five\n')
  agent.write('deep/new/file.ts', 'new\n')
  agent.reply()
  agent.prompt('Go on')
  agent.edit('a.ts', 'line 20\n', 'line twenty\n')
  agent.edit('b.ts', 'beta', 'gamma')
  agent.write('logo.png', 'PNG\0other')
  agent.reply()
  agent.prompt('Finish')
  agent.edit('deep/new/file.ts', 'new', 'newer')
  agent.reply()
  return agent
}

async function openPreview(page: Page, index: number): Promise<void> {
  await selectTurn(page, index)
  await page.keyboard.press('r')
  await expect(page.getByRole('heading', { name: `Rewind to the start of turn ${index}` })).toBeVisible()
}

function entry(page: Page, name: RegExp | string) {
  return page.getByRole('listbox', { name: 'Timeline' }).getByRole('option', { name })
}

test.describe('rewind', () => {
  test.use({ prepare: ({}, use) => use(async (world) => void (await saveSession(world, record(world)))) })

  test('brings back every byte, and can be undone and redone, also after a restart', async ({ openApp, world }) => {
    const agent = record(world)
    const [start, , third] = agent.moments.map(({ files }) => treeAt(files))
    const end = treeAt(agent.files)
    const first = await openApp()
    await waitForSession(first.page, 3)
    await openPreview(first.page, 1)
    await expect(first.page.getByText('Nothing is written yet.')).toBeVisible()
    await expect(planRow(first.page, 'a.ts')).toHaveAccessibleName(/^Restore/)
    await expect(planRow(first.page, 'b.ts')).toHaveAccessibleName(/^Restore, .*CRLF/)
    await expect(planRow(first.page, 'deep/new/file.ts')).toHaveAccessibleName(/^Delete/)
    await planRow(first.page, 'a.ts').click()
    await expectText(first.page.getByRole('region', { name: 'a.ts' }).locator('.editor.modified'), 'line 5')
    expect(await treeOf(world.workspace)).toEqual(end)
    await first.page.keyboard.press('Control+Enter')
    await expect(first.page.getByRole('heading', { name: 'Rewound 4 files to the start of turn 1' })).toBeVisible()
    await expect(receiptRow(first.page, 'deep/new/file.ts')).toHaveAccessibleName(/^Deleted, .*read back absent$/)
    await expect(receiptRow(first.page, 'logo.png')).toHaveAccessibleName(/^Restored, .*read back [0-9a-f]{4} [0-9a-f]{4}$/)
    expect(await treeOf(world.workspace)).toEqual(start)
    await first.page.keyboard.press('Control+z')
    await expect(first.page.getByRole('heading', { name: /^Undid the rewind to the start of turn 1/ })).toBeVisible()
    expect(await treeOf(world.workspace)).toEqual(end)
    await first.page.keyboard.press('Control+Shift+z')
    await expect(first.page.getByRole('heading', { name: /^Redid the rewind to the start of turn 1/ })).toBeVisible()
    expect(await treeOf(world.workspace)).toEqual(start)
    await first.close()

    const { page } = await openApp()
    await expect(entry(page, /^Rewind to the start of turn 1, 4 files$/)).toBeVisible()
    await expect(entry(page, /^Undo the rewind to the start of turn 1, 4 files, undone/)).toBeVisible()
    await page.keyboard.press('Control+z')
    await expect(page.getByRole('status').filter({ hasText: 'Undid the rewind to the start of turn 1.' })).toBeVisible()
    expect(await treeOf(world.workspace)).toEqual(end)
    await openPreview(page, 3)
    await expect(planRow(page, 'deep/new/file.ts')).toHaveAccessibleName(/^Restore/)
    await page.keyboard.press('Control+Enter')
    await expect(page.getByRole('heading', { name: 'Rewound 1 file to the start of turn 3' })).toBeVisible()
    expect(await treeOf(world.workspace)).toEqual(third)
  })

  test('takes only the files that are ticked', async ({ ui, world }) => {
    const agent = record(world)
    const [, second] = agent.moments.map(({ files }) => treeAt(files))
    const end = treeAt(agent.files)
    await waitForSession(ui, 3)
    await openPreview(ui, 2)
    await planRow(ui, 'b.ts').click()
    await ui.keyboard.press('Space')
    await expect(planRow(ui, 'b.ts')).toHaveAccessibleName(/left out$/)
    await ui.getByRole('button', { name: 'Rewind 3 files, leave 1 as it is' }).click()
    await expect(ui.getByRole('heading', { name: 'Rewound 3 files to the start of turn 2' })).toBeVisible()
    await expect(receiptRow(ui, 'b.ts')).toHaveCount(0)
    expect(await treeOf(world.workspace)).toEqual({ ...second, 'b.ts': end['b.ts'] })
  })

  test('is planned anew when a file changed after the preview', async ({ ui, world }) => {
    await waitForSession(ui, 3)
    await openPreview(ui, 2)
    await expect(planRow(ui, 'b.ts')).toHaveAccessibleName(/^Restore/)
    const typed = 'mine\r\nalpha\r\ngamma\r\n'
    await writeFile(join(world.workspace, 'b.ts'), typed)
    await ui.keyboard.press('Control+Enter')
    await expect(ui.getByRole('status').filter({ hasText: 'Files changed after you opened the preview.' })).toBeVisible()
    expect(await readFile(join(world.workspace, 'b.ts'), 'utf8')).toBe(typed)
    await expect(planRow(ui, 'b.ts')).toHaveAccessibleName(/^Merge/)
    await ui.keyboard.press('Control+Enter')
    await expect(receiptRow(ui, 'b.ts')).toHaveAccessibleName(/^Merged/)
    expect(await readFile(join(world.workspace, 'b.ts'), 'utf8')).toBe('mine\r\nalpha\r\nbeta\r\n')
  })

  test('begins by dragging the playhead, or by moving it with keys', async ({ ui, world }) => {
    await waitForSession(ui, 3)
    const before = await treeOf(world.workspace)
    const playhead = ui.getByRole('slider', { name: 'Where the disk stands' })
    await expect(playhead).toHaveAttribute('aria-valuetext', 'Disk is after turn 3')
    const from = await restingBox(playhead)
    const to = await ui.getByRole('option', { name: /^Turn 2:/ }).boundingBox()
    if (!from || !to) throw new Error('The timeline is not on screen.')
    await ui.mouse.move(from.x + from.width - 40, from.y + from.height / 2)
    await ui.mouse.down()
    await ui.mouse.move(from.x + from.width - 40, to.y + 2, { steps: 6 })
    await expect(playhead).toHaveAttribute('aria-valuetext', 'Disk is after turn 1')
    await ui.keyboard.press('Escape')
    await ui.mouse.up()
    await expect(ui.getByRole('heading', { name: /^Rewind to/ })).toBeHidden()
    await expect(playhead).toHaveAttribute('aria-valuetext', 'Disk is after turn 3')
    await expect.poll(() => playhead.boundingBox()).toEqual(from)

    await ui.mouse.move(from.x + from.width - 40, from.y + from.height / 2)
    await ui.mouse.down()
    await ui.mouse.move(from.x + from.width - 40, to.y + 2, { steps: 6 })
    await ui.mouse.up()
    await expect(ui.getByRole('heading', { name: 'Rewind to the start of turn 2' })).toBeVisible()
    await ui.keyboard.press(']')
    await expect(ui.getByRole('heading', { name: 'Rewind to the start of turn 3' })).toBeVisible()
    await ui.keyboard.press('[')
    await ui.keyboard.press('[')
    await expect(ui.getByRole('heading', { name: 'Rewind to the start of turn 1' })).toBeVisible()
    await ui.keyboard.press('Escape')
    await expect(ui.getByRole('heading', { name: /^Rewind to/ })).toBeHidden()

    // From after the last turn it goes to its end, then to its start.
    const goUp = async (): Promise<void> => {
      for (let press = 0; press < 2; press++) await ui.keyboard.press('ArrowUp')
      await expect(playhead).toHaveAttribute('aria-valuetext', 'Disk is after turn 2')
    }
    await playhead.focus()
    await goUp()
    await ui.keyboard.press('Escape')
    await expect(playhead).toHaveAttribute('aria-valuetext', 'Disk is after turn 3')
    await goUp()
    await ui.keyboard.press('Enter')
    await expect(ui.getByRole('heading', { name: 'Rewind to the start of turn 3' })).toBeVisible()
    expect(await treeOf(world.workspace)).toEqual(before)
  })
})

test.describe('what was typed since', () => {
  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const names = ['keep.ts', 'old.ts', 'edit.ts']
        const agent = agentIn(world, { 'example.txt': 'original\n', ...Object.fromEntries(names.map((name) => [name, 'one\ntwo\nthree\n'])) })
        agent.prompt('Add lines')
        agent.edit('example.txt', 'original\n', 'original\nrobot\n')
        for (const name of names) agent.edit(name, 'two', 'agent')
        agent.reply()
        await saveSession(world, agent)
        for (const name of names) await writeFile(join(world.workspace, name), `one\nmine in ${name}\nthree\n`)
        await writeFile(join(world.workspace, 'example.txt'), 'changed\nrobot\n')
      }),
  })

  test('is shown as yours, survives, and conflicts wait for an answer', async ({ ui, world }) => {
    await waitForSession(ui, 1)
    await expect(entry(ui, /^You edited 4 files/)).toBeVisible()
    await openPreview(ui, 1)
    await expect(planRow(ui, 'example.txt')).toHaveAccessibleName(/^Merge/)
    for (const name of ['keep.ts', 'old.ts', 'edit.ts']) await expect(planRow(ui, name)).toHaveAccessibleName(/^Conflict, .*stays until you choose$/)
    await expect(ui.getByRole('button', { name: 'Rewind 1 file, leave 3 as they are' })).toBeVisible()

    await planRow(ui, 'keep.ts').click()
    await expectText(ui.getByRole('region', { name: 'Disk now' }), 'mine in keep.ts')
    await expectText(ui.getByRole('region', { name: 'Agent left last' }), 'agent')
    await ui.keyboard.press('m')
    await expect(ui.getByText('You have chosen')).toBeVisible()
    await planRow(ui, 'old.ts').click()
    await expect(ui.getByText('Conflict 1 of 1')).toBeVisible()
    await ui.keyboard.press('o')
    await expect(ui.getByText('You have chosen')).toBeVisible()
    await planRow(ui, 'edit.ts').click()
    await expect(ui.getByText('Conflict 1 of 1')).toBeVisible()
    await ui.keyboard.press('e')
    await ui.keyboard.press('Control+a')
    await ui.keyboard.type('one\nboth and r m o\nthree')
    await ui.keyboard.press('Control+Enter')
    await ui.keyboard.press('Control+Enter')
    await expect(ui.getByText('your text, nothing is written yet')).toBeVisible()
    await ui.keyboard.press('Escape')

    await expect(ui.getByRole('button', { name: /^Rewind 3 files, leave 1 as it is|^Rewind 4 files/ })).toBeVisible()
    await ui.keyboard.press('Control+Enter')
    await expect(ui.getByRole('heading', { name: /^Rewound/ })).toBeVisible()
    expect(await treeOf(world.workspace)).toEqual({
      'example.txt': 'changed\n',
      'keep.ts': 'one\nmine in keep.ts\nthree\n',
      'old.ts': 'one\ntwo\nthree\n',
      'edit.ts': 'one\nboth and r m o\nthree\n',
    })
  })

  test('stays in a file with a conflict that nobody answered', async ({ ui, world }) => {
    await waitForSession(ui, 1)
    await openPreview(ui, 1)
    await ui.getByRole('button', { name: 'Rewind 1 file, leave 3 as they are' }).click()
    await expect(receiptRow(ui, 'keep.ts')).toHaveAccessibleName(/^Left/)
    expect(await treeOf(world.workspace)).toMatchObject({ 'example.txt': 'changed\n', 'keep.ts': 'one\nmine in keep.ts\nthree\n' })
    await ui.getByRole('button', { name: /^Resolve / }).click()
    await expect(ui.getByRole('button', { name: 'Keep mine' })).toBeVisible()
  })
})

test.describe('one change', () => {
  test.use({ prepare: ({}, use) => use(async (world) => void (await saveSession(world, record(world)))) })

  test('is taken back while all later ones stay, and that can be undone', async ({ ui, world }) => {
    const file = join(world.workspace, 'a.ts')
    const end = await readFile(file, 'utf8')
    await waitForSession(ui, 3)
    await selectTurn(ui, 1)
    await fileRow(ui, 'a.ts').click()
    await expect(diffPane(ui).getByRole('status')).toHaveText('Change 1 of 1')
    await ui.keyboard.press('t')
    const dialog = ui.getByRole('dialog', { name: 'Take back change 1 of a.ts' })
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await expectText(dialog.locator('.editor.modified'), 'line 5')
    expect(await readFile(file, 'utf8')).toBe(end)
    await ui.keyboard.press('Control+Enter')
    await expect(dialog).toBeHidden()
    expect(await readFile(file, 'utf8')).toBe(end.replace('line five', 'line 5'))
    await expect(entry(ui, 'Take back change 1 of a.ts in turn 1, 1 file')).toBeVisible()
    await ui.keyboard.press('Control+z')
    await expect(ui.getByRole('status').filter({ hasText: 'Undid the take-back of change 1 of a.ts in turn 1.' })).toBeVisible()
    expect(await readFile(file, 'utf8')).toBe(end)
  })

  test('is refused where it no longer fits', async ({ ui, world }) => {
    const file = join(world.workspace, 'a.ts')
    const typed = (await readFile(file, 'utf8')).replace('line five', 'line of mine')
    await writeFile(file, typed)
    await waitForSession(ui, 3)
    await comeBack(ui)
    await selectTurn(ui, 1)
    await fileRow(ui, 'a.ts').click()
    await expectText(diffSide(ui, 'after'), 'line five')
    await expect(diffPane(ui).getByRole('status')).toHaveText('Change 1 of 1')
    await ui.keyboard.press('t')
    const dialog = ui.getByRole('dialog', { name: 'Take back change 1 of a.ts' })
    await expect(dialog).toContainText('Nothing is written.')
    await expect(dialog.getByRole('button', { name: /^Take back/ })).toHaveCount(0)
    await ui.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    expect(await readFile(file, 'utf8')).toBe(typed)
  })
})
