// Takes build/screenshot.png, the picture in the README: the review window on the sample session. Run it after a change
// to the window: `node build/run.cjs screenshot`.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from '@playwright/test'
import { ensureBuilt, findChromium } from './bootstrap.cjs'

ensureBuilt()
const home = await mkdtemp(join(tmpdir(), 'overturn-screenshot-'))
const host = spawn(process.execPath, ['dist/serve.cjs', '--no-open', '--port', '0'], {
  env: { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, OVERTURN_DATA_DIR: join(home, 'data') },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string]
const browser = await chromium.launch({ executablePath: findChromium() ?? undefined, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce' })
  await page.goto(/http:\S+/.exec(line)?.[0] ?? '')
  await page.getByRole('button', { name: 'Open the sample session' }).click()
  await page.getByRole('option', { name: /^Turn 3:/ }).click()
  await page.getByRole('button', { name: 'Take back change 1' }).waitFor()
  // The colours of the code come a moment after its lines.
  await page.locator('.editor.modified .mtk6, .editor.modified .mtk8').first().waitFor()
  await page.mouse.move(0, 0)
  await page.locator('.editor.modified .scrollbar.horizontal.fade').waitFor({ state: 'attached' })
  await page.screenshot({ path: 'build/screenshot.png' })
} finally {
  await browser.close()
  host.kill()
  await once(host, 'exit')
  await rm(home, { recursive: true, force: true })
}
