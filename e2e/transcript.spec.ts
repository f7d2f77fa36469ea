import { createServer } from 'node:http'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { expect, test } from './open-app.js'
import { agentIn, saveSession } from './recorded.js'
import { diffPane, diffSide, expectText, fileRow, selectTurn, turnRow, waitForSession } from './window.js'

test.describe('transcript', () => {
  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const agent = agentIn(world, { 'a.ts': 'one\n' })
        agent.prompt('Make it **two**')
        agent.read('a.ts')
        agent.edit('a.ts', 'one', 'two')
        agent.shell('npm test', () => undefined, { exitCode: 3 })
        agent.reply('Now it is `two`.')
        agent.prompt('Thank you')
        agent.reply('You are welcome.')
        await saveSession(world, agent)
      }),
  })

  test('is read from the timeline, and leads to the change and back', async ({ ui }) => {
    await waitForSession(ui, 2)
    await ui.keyboard.press('k')
    await ui.keyboard.press('Enter')
    const transcript = ui.getByRole('region', { name: 'Transcript' })
    await expect(transcript.getByRole('heading', { name: 'Turn 1' })).toBeVisible()
    await expect(transcript.getByRole('strong').filter({ hasText: 'two' })).toBeVisible()
    await expect(transcript.getByRole('code').filter({ hasText: 'two' })).toBeVisible()
    const call = transcript.getByRole('button', { name: /^edit a\.ts/ })
    await expect(call).toHaveAttribute('aria-expanded', 'false')
    await call.click()
    await expect(transcript.getByText('Changes a.ts')).toBeVisible()
    await transcript.getByRole('button', { name: /^run_shell_command npm test/ }).click()
    await expect(transcript.getByText('$ npm test')).toBeVisible()
    await transcript.getByRole('button', { name: 'Show the change' }).click()
    await expectText(diffSide(ui, 'after'), 'two')

    await diffPane(ui).getByRole('button', { name: 'Show in the transcript how it came about' }).click()
    await expect(transcript.getByRole('button', { name: /^edit a\.ts/ })).toHaveAttribute('aria-expanded', 'true')
    await ui.keyboard.press('/')
    await ui.keyboard.type('npm test')
    await expect(transcript.locator('.transcript-find')).toContainText('1')
    await ui.keyboard.press('Escape')
    await ui.keyboard.press('j')
    await expect(transcript.getByRole('heading', { name: 'Turn 2' })).toBeVisible()
    await ui.keyboard.press('Escape')
    await expect(transcript).toBeHidden()
    await expect(ui.getByText('No file changed in turn 2')).toBeVisible()
  })

  test('gives the keys back to the timeline that it was opened from', async ({ ui }) => {
    await waitForSession(ui, 2)
    await ui.keyboard.press('Enter')
    await expect(ui.getByRole('region', { name: 'Entries of the transcript' })).toBeFocused()
    await ui.keyboard.press('Escape')
    await ui.keyboard.press('k')
    await expect(turnRow(ui, 1)).toHaveAttribute('aria-selected', 'true')
  })
})

test.describe('a hostile session', () => {
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('Access-Control-Allow-Origin', '*').end('x')
  })
  const asked: string[] = []
  let address = ''

  test.beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const bound = server.address()
    address = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`
  })
  test.afterAll(() => server.close())

  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const hostile = [
          '<script>window.pwned = 1</script>',
          `<img src="${address}/img" onerror="window.pwned = 2">`,
          `![picture](${address}/markdown)`,
          `[a link](javascript:window.pwned=3) and [another](${address}/link)`,
          `<iframe src="${address}/frame"></iframe><svg onload="window.pwned=4"></svg><style>@import "${address}/style";</style>`,
          `<${address}/auto> "><form action="${address}"><input name=x></form>`,
          '```html\n<script>window.pwned = 5</script>\n```',
        ].join('\n\n')
        const agent = agentIn(world, { 'x.html': 'plain\n' })
        agent.prompt(hostile)
        agent.edit('x.html', 'plain', hostile)
        agent.write('"><img src=x onerror=window.pwned=6>.md', hostile)
        agent.shell(`echo '${hostile}'`, () => undefined)
        agent.reply(hostile)
        await saveSession(world, agent)
      }),
  })

  test('runs nothing, loads nothing and leads nowhere', async ({ ui }) => {
    await waitForSession(ui, 1)
    await expect(fileRow(ui, 'x.html')).toBeVisible()
    await fileRow(ui, 'x.html').click()
    await expectText(diffSide(ui, 'after'), 'window.pwned = 1')
    await ui.keyboard.press('Control+k')
    await ui.keyboard.type('pwned')
    await expect(ui.getByRole('listbox', { name: 'What was found' }).getByRole('option').first()).toContainText('pwned')
    await ui.keyboard.press('Escape')
    await turnRow(ui, 1).click()
    await ui.keyboard.press('Enter')
    const transcript = ui.getByRole('region', { name: 'Transcript' })
    await expect(transcript.getByText('[image: picture]').first()).toBeVisible()
    for (const call of await transcript.getByRole('button', { name: /^(edit|write_file|run_shell_command) / }).all()) await call.click()
    await expect(transcript.getByText(`(${address}/link)`).first()).toBeVisible()
    expect(await transcript.locator('a, img, script, iframe, style, form, object, embed, [onload], [onerror]').count()).toBe(0)
    await ui.keyboard.press('Escape')
    await ui.keyboard.press('2')
    await expect(ui.getByRole('grid')).toBeVisible()
    expect([await ui.evaluate(() => Reflect.get(window, 'pwned')), asked]).toEqual([undefined, []])
  })
})

test.describe('a log with bad and unknown lines', () => {
  test.use({
    prepare: ({}, use) =>
      use(async (world) => {
        const agent = agentIn(world, { 'a.ts': 'one\n' })
        agent.prompt('Make it two')
        agent.edit('a.ts', 'one', 'two')
        agent.reply()
        agent.log.record('mode', { mode: 'normal' })
        agent.log.record('system', { subtype: 'brand_new', content: 'hi' })
        agent.prompt('Make it three')
        agent.edit('a.ts', 'two', 'three')
        agent.reply()
        const lines = agent.log.lines
        const cut = lines.findIndex((line) => line.includes('"Done."'))
        lines.splice(cut + 1, 0, '{"type":"assistant","message":{"role":"mo', '{"raw control": "\u0001"}', '', '42')
        await writeFile(await saveSession(world, agent), agent.log.text())
      }),
  })

  test('says how much was not understood, and shows its lines', async ({ ui }) => {
    await waitForSession(ui, 2)
    await expect(fileRow(ui, 'a.ts')).toHaveAccessibleName(/modified, 1 added, 1 removed/)
    await selectTurn(ui, 1)
    await expectText(diffSide(ui, 'after'), 'two')
    await ui.getByRole('button', { name: /records? not understood$/ }).click()
    const problems = ui.getByRole('dialog', { name: 'Problems of the log' })
    const bad = problems.locator('.problem').filter({ hasText: 'no JSON object' })
    await bad.getByRole('button', { name: 'Show lines' }).click()
    const raw = problems.getByRole('list', { name: 'Raw lines' })
    await expect(raw.getByRole('listitem')).toHaveCount(3)
    await expect(raw.getByRole('listitem').last()).toContainText('42')
    await ui.keyboard.press('Escape')
    await expect(problems).toBeHidden()
    // Records of a kind that is not known yet are quiet, and one click away.
    await turnRow(ui, 1).click()
    await ui.keyboard.press('Enter')
    await ui.getByRole('button', { name: /brand_new/ }).click()
    await expect(ui.getByText('"content":"hi"')).toBeVisible()
  })
})
