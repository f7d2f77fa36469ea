// The fixtures of every end-to-end test: the built app in either host, alone in a world of temporary folders.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { _electron, errors, expect, test as base, type Browser, type ConsoleMessage, type ElectronApplication, type Page, type PlaywrightTestOptions } from '@playwright/test'
import { findChromium, root } from '../build/bootstrap.cjs'
import { findTestElectron } from '../build/test-electron.js'

/** The folders of one test. All exist, and nothing else of this machine is seen by the app. */
export interface World {
  readonly home: string
  /** Our data folder, `OVERTURN_DATA_DIR`. */
  readonly dataFolder: string
  /** What `--workspace` names. */
  readonly workspace: string
  /** What `--sessions` names. */
  readonly sessions: string
  /** The environment that the app, or a command of its command line, runs in. */
  readonly env: Readonly<Record<string, string>>
}

export interface OpenApp {
  readonly page: Page
  /** Ends the app as a person would: the window is closed, or the host is told to stop. */
  close(): Promise<void>
}

export interface TestOptions {
  /** Which host the test runs in; set by the project. */
  readonly target: 'web' | 'electron'
}

interface Fixtures {
  /** Fills the world before the app starts: `test.use({ prepare: ({}, use) => use(async (world) => { … }) })`. */
  readonly prepare: (world: World) => Promise<void>
  readonly world: World
  /** Errors that the page or its policy reported so far; there must be none at the end. */
  readonly complaints: Set<string>
  /** Starts the app, as often as the test asks; what is still open at the end is closed. Flags stand in for the usual ones. */
  readonly openApp: (flags?: readonly string[]) => Promise<OpenApp>
  /** The page of one started app. */
  readonly ui: Page
}

interface ElectronAtHand {
  readonly executable: string
  readonly version: string
  /** Names the display that windows open on. */
  readonly env: Readonly<Record<string, string>>
}

interface WorkerFixtures extends TestOptions {
  /** `null` in the window. */
  readonly chromium: Browser | null
  /** `null` in the browser, and where there is no Electron. */
  readonly electron: ElectronAtHand | null
}

type ColorScheme = PlaywrightTestOptions['colorScheme']

export const viewport = { width: 1440, height: 900 }

const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const test = base.extend<Fixtures, WorkerFixtures>({
  target: ['web', { option: true, scope: 'worker' }],
  prepare: ({}, use) => use(async () => undefined),

  chromium: [
    async ({ target, playwright }, use) => {
      if (target !== 'web') return use(null)
      const executablePath = findChromium() ?? undefined
      const browser = await playwright.chromium.launch({ executablePath, args: chromiumFlags })
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],

  electron: [
    async ({ target }, use) => {
      const found = target === 'electron' ? await findTestElectron(process.env) : null
      if (found?.kind !== 'found') return use(null)
      const display = await startDisplay()
      await use({ executable: found.executable, version: found.version, env: display.env })
      await display.stop()
    },
    { scope: 'worker' },
  ],

  world: async ({ prepare }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'overturn-e2e-'))
    const place = (name: string): string => join(folder, name)
    const [home, dataFolder, workspace, sessions] = [place('home'), place('data'), place('workspace'), place('sessions')]
    await Promise.all([home, dataFolder, workspace, sessions].map((path) => mkdir(path)))
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, USERPROFILE: home, OVERTURN_DATA_DIR: dataFolder, LANG: 'C.UTF-8' }
    const world = { home, dataFolder, workspace, sessions, env }
    await prepare(world)
    await use(world)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  },

  complaints: async ({}, use) => {
    const complaints = new Set<string>()
    await use(complaints)
    expect([...complaints], 'errors that the page or its policy reported').toEqual([])
  },

  openApp: async ({ target, chromium, electron, world, colorScheme, complaints }, use, testInfo) => {
    testInfo.skip(target === 'electron' && electron === null, 'There is no Electron here.')
    const opened: OpenApp[] = []
    const usual = ['--workspace', world.workspace, '--sessions', world.sessions]
    await use(async (flags = usual) => {
      const app = electron === null ? await openInBrowser(chromium, world, flags, colorScheme) : await openInWindow(electron, world, flags, colorScheme)
      await collectComplaints(app.page, complaints)
      opened.push(app)
      return app
    })
    for (const app of opened) await app.close()
  },

  ui: async ({ openApp }, use) => {
    const { page } = await openApp()
    await use(page)
  },
})

export { expect }

/** Closing twice is closing once: a test may have ended its app before the fixture does. */
function onlyOnce(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null
  return () => (closing ??= close())
}

/** Errors in the console (a blocked script or style is one) and uncaught ones, those before this call too. */
async function collectComplaints(page: Page, complaints: Set<string>): Promise<void> {
  const addMessage = (message: ConsoleMessage): void => {
    if (message.type() === 'error') complaints.add(`${message.text()} (${message.location().url})`)
  }
  const addError = (error: Error): void => void complaints.add(error.stack ?? error.message)
  page.on('console', addMessage)
  page.on('pageerror', addError)
  for (const message of await page.consoleMessages()) addMessage(message)
  for (const error of await page.pageErrors()) addError(error)
}

async function openInBrowser(browser: Browser | null, world: World, flags: readonly string[], colorScheme: ColorScheme): Promise<OpenApp> {
  if (browser === null) throw new Error('The browser was not started.')
  const host = await startWebHost(world, flags)
  const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(host.startUrl)
  const end = async (): Promise<void> => {
    await context.close()
    await host.stop()
  }
  return { page, close: onlyOnce(end) }
}

/** Starts the built web host and returns the address that it prints. */
export async function startWebHost(
  world: World,
  flags: readonly string[] = [],
): Promise<{ readonly startUrl: string; readonly stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [join(root, 'dist', 'serve.cjs'), '--no-open', '--port', '0', ...flags], {
    env: { ...world.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const startUrl = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /http:\/\/\S+/.exec(line)?.[0]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`The web host ended with ${code} before it printed its address.`)))
  })
  return {
    startUrl,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function openInWindow(
  electron: ElectronAtHand,
  world: World,
  flags: readonly string[],
  colorScheme: ColorScheme,
): Promise<OpenApp> {
  const app = await launched({
    executablePath: electron.executable,
    args: [root, '--disable-gpu', ...flags],
    env: { ...world.env, ...electron.env },
    colorScheme,
  })
  const page = await app.firstWindow()
  return { page, close: onlyOnce(() => app.close()) }
}

/** A start takes about a second. */
const answerMs = 20_000

/** Starts the runtime. Now and then its driver never hears of one that it has started, which says nothing of the app: then once more. */
async function launched(options: Parameters<typeof _electron.launch>[0]): Promise<ElectronApplication> {
  try {
    return await _electron.launch({ ...options, timeout: answerMs })
  } catch (thrown) {
    if (!(thrown instanceof errors.TimeoutError)) throw thrown
    process.stdout.write('Electron did not answer its driver and is started once more.\n')
    return _electron.launch(options)
  }
}

/** A display to open windows on: the one at hand, or a virtual one. */
async function startDisplay(): Promise<{ readonly env: Readonly<Record<string, string>>; readonly stop: () => Promise<void> }> {
  const { DISPLAY, XAUTHORITY } = process.env
  if (process.platform !== 'linux') return { env: {}, stop: async () => undefined }
  if (DISPLAY !== undefined && DISPLAY !== '') return { env: { DISPLAY, ...(XAUTHORITY === undefined ? {} : { XAUTHORITY }) }, stop: async () => undefined }
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const exited = once(child, 'exit')
  const number = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`Xvfb ended with ${code}.`)))
  })
  return {
    env: { DISPLAY: `:${number}` },
    stop: async () => {
      child.kill()
      await exited
    },
  }
}
