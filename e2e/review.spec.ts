import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from './open-app.js'
import { agentIn, numbered, saveSession } from './recorded.js'
import { comeBack, diffPane, diffSide, expectText, fileRow, selectTurn, turnRow, waitForSession } from './window.js'

test.describe('a session of four turns', () => {
  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const agent = agentIn(world, { 'a.ts': `one\ntwo\nthree\n${numbered(60)}last\n`, 'b.ts': 'alpha\n' })
        agent.prompt('Number the lines')
        agent.edit('a.ts', 'two', '2')
        agent.write('c.ts', 'new\n')
        agent.reply()
        agent.prompt('Explain yourself')
        agent.reply('I did.')
        agent.prompt('Change both files')
        agent.edit('a.ts', 'one', '1')
        agent.edit('a.ts', 'last', 'the end')
        agent.edit('b.ts', 'alpha', 'beta')
        agent.shell('npm test', () => undefined)
        agent.reply()
        agent.prompt('Drop the third')
        agent.write('b.ts', 'gamma\n', { outcome: 'refused' })
        agent.edit('c.ts', 'new', 'old')
        agent.reply()
        await saveSession(world, agent)
      }),
  })

  test('shows what each turn changed, from turn to turn', async ({ ui }) => {
    await waitForSession(ui, 4)
    await expect(turnRow(ui, 4)).toHaveAccessibleName('Turn 4: Drop the third, 1 file, 1 added, 1 removed, 1 refused')
    await expect(turnRow(ui, 3)).toHaveAccessibleName('Turn 3: Change both files, 2 files, 3 added, 3 removed, 1 command')
    await expect(turnRow(ui, 2)).toHaveAccessibleName('Turn 2: Explain yourself, no file changed')
    await expect(fileRow(ui, 'b.ts')).toHaveAccessibleName(/edit refused/)
    await ui.keyboard.press('k')
    await expect(fileRow(ui)).toHaveCount(2)
    await ui.keyboard.press('k')
    await expect(ui.getByText('No file changed in turn 2')).toBeVisible()
    await ui.keyboard.press('k')
    await expect(fileRow(ui, 'a.ts')).toHaveAccessibleName(/^a\.ts, modified, 1 added, 1 removed, Recorded edit/)
    await expect(fileRow(ui, 'c.ts')).toHaveAccessibleName(/^c\.ts, added, 1 added, Recorded edit/)
    await expectText(diffSide(ui, 'before'), 'two')
    await expectText(diffSide(ui, 'after'), '2')
    await ui.keyboard.press('j')
    await expect(ui.getByText('No file changed in turn 2')).toBeVisible()
  })

  test('goes through changes, and on to the next file', async ({ ui }) => {
    await waitForSession(ui, 4)
    await selectTurn(ui, 3)
    const place = diffPane(ui).getByRole('status')
    await expect(diffPane(ui).getByRole('heading', { name: 'a.ts' })).toBeVisible()
    await expect(place).toHaveText('Change 1 of 2')
    await ui.keyboard.press('n')
    await expect(place).toHaveText('Change 2 of 2')
    await expectText(diffSide(ui, 'after'), 'the end')
    await ui.keyboard.press('n')
    await expect(diffPane(ui).getByRole('heading', { name: 'b.ts' })).toBeVisible()
    await expect(place).toHaveText('Change 1 of 1')
    await ui.keyboard.press('p')
    await expect(diffPane(ui).getByRole('heading', { name: 'a.ts' })).toBeVisible()
    await expect(place).toHaveText('Change 2 of 2')
    await ui.keyboard.press('f')
    await expect(fileRow(ui, 'b.ts')).toHaveAttribute('aria-selected', 'true')
    await ui.keyboard.press('Shift+F')
    await expect(fileRow(ui, 'a.ts')).toHaveAttribute('aria-selected', 'true')
  })

  test('compares a turn, its start with the disk, the session, and a range', async ({ ui, world }) => {
    await waitForSession(ui, 4)
    await writeFile(join(world.workspace, 'b.ts'), 'beta\nand mine\n')
    const scope = ui.getByRole('radiogroup', { name: 'Compare' })
    await selectTurn(ui, 3)
    await expect(scope.getByRole('radio', { name: 'This turn' })).toBeChecked()

    await ui.keyboard.press('s')
    await expect(scope.getByRole('radio', { name: 'To disk' })).toBeChecked()
    await expect(fileRow(ui)).toHaveCount(3)
    await expect(fileRow(ui, 'b.ts')).toHaveAccessibleName(/^b\.ts, modified, 2 added, 1 removed/)

    await ui.keyboard.press('s')
    await expect(scope.getByRole('radio', { name: 'Whole session' })).toBeChecked()
    await expect(fileRow(ui, 'a.ts')).toHaveAccessibleName(/^a\.ts, modified, 3 added, 3 removed/)
    await expect(fileRow(ui, 'b.ts')).toHaveAccessibleName(/^b\.ts, modified, 1 added, 1 removed/)
    await expect(fileRow(ui, 'c.ts')).toHaveAccessibleName(/^c\.ts, added, 1 added/)

    await scope.getByRole('radio', { name: 'This turn' }).click()
    await ui.keyboard.press('Shift+K')
    await expect(scope.getByRole('radio', { name: 'Range 2–3' })).toBeChecked()
    await ui.keyboard.press('Shift+K')
    await expect(scope.getByRole('radio', { name: 'Range 1–3' })).toBeChecked()
    await expect(fileRow(ui, 'a.ts')).toHaveAccessibleName(/^a\.ts, modified, 3 added, 3 removed/)
    await expect(turnRow(ui, 2)).toHaveAttribute('aria-selected', 'true')
    await ui.keyboard.press('Escape')
    await expect(scope.getByRole('radio', { name: 'This turn' })).toBeChecked()
    await turnRow(ui, 4).click({ modifiers: ['Shift'] })
    await expect(scope.getByRole('radio', { name: 'Range 3–4' })).toBeChecked()
  })

  test('keeps reviewed marks across a restart until the content is another', async ({ openApp, world }) => {
    const first = await openApp()
    await waitForSession(first.page, 4)
    await first.page.keyboard.press('s')
    await expect(fileRow(first.page)).toHaveCount(1)
    await first.page.keyboard.press('Space')
    await expect(fileRow(first.page, 'c.ts')).toHaveAccessibleName(/reviewed$/)
    await expect(first.page.getByText('All 1 file reviewed')).toBeVisible()
    await first.close()

    const { page } = await openApp()
    await waitForSession(page, 4)
    await page.keyboard.press('s')
    await expect(fileRow(page, 'c.ts')).toBeChecked()
    await writeFile(join(world.workspace, 'c.ts'), 'old\nand mine\n')
    await comeBack(page)
    await expect(fileRow(page, 'c.ts')).toHaveAccessibleName(/changed since you reviewed it$/)
    await expect(fileRow(page, 'c.ts')).not.toBeChecked()

    await page.getByRole('radio', { name: 'Since I last looked' }).click()
    await expect(fileRow(page)).toHaveCount(1)
    await expect(fileRow(page, 'c.ts')).toHaveAccessibleName(/^c\.ts, modified, 1 added/)
    await expectText(diffSide(page, 'after'), 'and mine')
    await page.keyboard.press('Space')
    await expect(fileRow(page, 'c.ts')).toBeChecked()
    await page.getByRole('radio', { name: 'This turn' }).click()
    await page.getByRole('radio', { name: 'Since I last looked' }).click()
    await expect(page.getByText('Nothing changed since you last looked')).toBeVisible()
  })

  test('switches between diffs as fast as keys come, without an error', async ({ ui }) => {
    await waitForSession(ui, 4)
    await selectTurn(ui, 3)
    await expect(fileRow(ui)).toHaveCount(2)
    for (let press = 0; press < 50; press++) await ui.keyboard.press(press % 2 === 0 ? 'f' : 'Shift+F')
    await expect(fileRow(ui, 'a.ts')).toHaveAttribute('aria-selected', 'true')
    await expectText(diffSide(ui, 'after'), 'line 1')
    await ui.keyboard.press('f')
    await expectText(diffSide(ui, 'after'), 'beta')
    // Choosing the file that is shown changes nothing.
    await fileRow(ui, 'b.ts').click()
    await fileRow(ui, 'b.ts').click()
    await expect(diffPane(ui).getByRole('status')).toHaveText('Change 1 of 1')
  })
})

test.describe('turns that the agent went back from', () => {
  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const agent = agentIn(world, { 'a.ts': 'one\n' })
        agent.prompt('Make it two')
        agent.edit('a.ts', 'one', 'two')
        agent.reply()
        const wrong = agent.prompt('A wrong way')
        agent.edit('a.ts', 'two', 'wrong')
        agent.reply('That was wrong.')
        agent.rewind(wrong)
        agent.prompt('The right way')
        agent.edit('a.ts', 'two', 'right')
        agent.reply()
        await saveSession(world, agent)
      }),
  })

  test('are folded, open, and can be read', async ({ ui }) => {
    await waitForSession(ui, 2)
    const timeline = ui.getByRole('listbox', { name: 'Timeline' })
    await expect(timeline.getByRole('option', { name: '1 turn set aside, folded' })).toBeVisible()
    await expect(timeline.getByRole('option', { name: /^The agent went back to the end of turn 1/ })).toBeVisible()
    await ui.keyboard.press('k')
    await ui.keyboard.press('k')
    await ui.keyboard.press('ArrowRight')
    await expect(timeline.getByRole('option', { name: '1 turn set aside, open' })).toBeVisible()
    await ui.keyboard.press('j')
    await expect(timeline.getByRole('option', { name: 'Set aside: A wrong way' })).toHaveAttribute('aria-selected', 'true')
    await expectText(diffSide(ui, 'after'), 'wrong')
    await ui.keyboard.press('Enter')
    await expect(ui.getByRole('region', { name: 'Transcript' }).getByText('That was wrong.')).toBeVisible()
  })
})

test.describe('contents that are not plain', () => {
  const python = 'def run(x):\n    if x:\n        a()\n        b()\n'
  const separated = 'const text = "one\u2028two"\nconst more = "\u2029\u0085"\n'
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3, 0xff, 0xfe, 0, 9])

  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const agent = agentIn(world, {
          'blank.py': python,
          'crlf.txt': 'one\r\ntwo\r\n',
          'lost.txt': 'gone\n',
          'large.txt': numbered(900_000),
          'lock.json': numbered(40_000, 'package'),
          'picture.png': picture,
          'small.ts': 'one\n',
          'u2028.ts': separated,
        })
        agent.prompt('Change everything')
        agent.edit('blank.py', '        b()', '    b()')
        agent.edit('crlf.txt', 'two', 'three')
        agent.write('lock.json', numbered(40_000, 'module'))
        agent.write('picture.png', 'PNG\0 but other')
        agent.edit('small.ts', 'one', 'two')
        agent.edit('u2028.ts', 'const more', 'const less')
        agent.edit('large.txt', 'line 7\n', 'line seven\n')
        agent.shell('python make.py', (sim) => sim.put('made.csv', 'a,b\n'))
        agent.reply()
        agent.prompt('Change what was made')
        agent.edit('made.csv', 'a,b', 'a,b,c')
        agent.edit('lost.txt', 'gone', 'found')
        agent.reply()
        agent.prompt('Nothing more')
        agent.reply()
        const log = await saveSession(world, agent)
        const history = join(world.sessions, 'file-history', agent.log.sessionId)
        const backup = [...agent.backups].find(([, { bytes }]) => bytes.toString() === 'gone\n')?.[0]
        if (log && backup) await rm(join(history, backup))
      }),
  })

  test('are shown as what they are', async ({ ui }) => {
    await waitForSession(ui, 3)
    await selectTurn(ui, 1)
    // The long ones do not hold up the others.
    await fileRow(ui, 'small.ts').click()
    await expectText(diffSide(ui, 'after'), 'two')

    await test.step('a change of nothing but indentation', async () => {
      await expect(fileRow(ui, 'blank.py')).toHaveAccessibleName(/modified, 1 added, 1 removed, .*only blanks/)
      await fileRow(ui, 'blank.py').click()
      await expect(diffPane(ui).getByRole('status')).toHaveText('Change 1 of 1')
      await expect(diffSide(ui, 'after').locator('.line-insert').first()).toBeVisible()
    })
    await test.step('a lock file of 40,000 lines', async () => {
      await expect(fileRow(ui, 'lock.json')).toHaveAccessibleName(/40000 added, 40000 removed/)
      await fileRow(ui, 'lock.json').click()
      await expect(diffPane(ui).getByRole('heading', { name: 'A long diff' })).toBeVisible()
      await expect(diffPane(ui).getByRole('region', { name: 'Before' })).toContainText('40,000 lines')
      await diffPane(ui).getByRole('button', { name: 'Show the diff' }).click()
      await expectText(diffSide(ui, 'after'), 'module 2')
      await expect(diffPane(ui).getByRole('status')).toHaveText('Change 1 of 1')
    })
    await test.step('binary', async () => {
      await expect(fileRow(ui, 'picture.png')).toHaveAccessibleName(/binary 12 → 14 bytes/)
      await fileRow(ui, 'picture.png').click()
      await expect(diffPane(ui).getByRole('region', { name: 'Before' })).toContainText('Binary, 12 bytes')
      await expect(diffPane(ui).getByRole('region', { name: 'After' })).toContainText('Binary, 14 bytes')
    })
    await test.step('oversized', async () => {
      await fileRow(ui, 'large.txt').click()
      await expect(diffPane(ui).getByRole('region', { name: 'After' })).toContainText('Oversized, 10.')
      await expect(diffPane(ui).getByRole('button', { name: 'Show anyway' })).toBeVisible()
    })
    await test.step('separators that are no line ends', async () => {
      await expect(fileRow(ui, 'u2028.ts')).toHaveAccessibleName(/1 added, 1 removed/)
      await fileRow(ui, 'u2028.ts').click()
      await expectText(diffSide(ui, 'after'), 'const less')
      await expect(diffSide(ui, 'after').locator('.view-line')).toHaveCount(2)
    })
    await test.step('line ends', async () => {
      await expect(fileRow(ui, 'crlf.txt')).toHaveAccessibleName(/CRLF/)
    })
    await test.step('what is not known', async () => {
      await selectTurn(ui, 2)
      await fileRow(ui, 'lost.txt').click()
      await expect(fileRow(ui, 'lost.txt')).toHaveAccessibleName(/before unknown$/)
      await expect(diffPane(ui)).toContainText('Recorded edit, before as the log shows it')
      await expectText(diffSide(ui, 'after'), 'found')
    })
  })

  test('on the disk are shown as unreadable where they cannot be read', async ({ ui, world }) => {
    test.skip(process.platform === 'win32', 'There are no pipes in folders.')
    await waitForSession(ui, 3)
    const file = join(world.workspace, 'small.ts')
    await rm(file)
    await promisify(execFile)('mkfifo', [file])
    await selectTurn(ui, 1)
    await ui.keyboard.press('s')
    await expect(fileRow(ui, 'small.ts')).toHaveAccessibleName(/after unknown/)
    await fileRow(ui, 'small.ts').click()
    await expect(diffPane(ui)).toContainText('What came after is not known.')
    await expectText(diffPane(ui), 'one')
  })
})
