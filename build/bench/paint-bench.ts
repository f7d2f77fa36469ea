// From choosing a file, and from an agent's call, to the painted diff, in the built app in a browser.

// One function here runs in the page.
/// <reference lib="dom" />

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Page } from '@playwright/test'
import { connectMcpAgent } from '../../electron/testing/mcp-agent.js'
import { SimulatedAgent } from '../../electron/testing/simulated-agent.js'
import { ensureBuilt, findChromium, root } from '../bootstrap.cjs'
import { codeLines, randomFrom } from './generated-text.js'
import { table, type Group } from './report.js'

const times = 6
const paintMs = 150
const browserFlags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

interface Painted {
  readonly ms: number
  /** The longest task of the window's thread meanwhile; 0 when none took 50 ms. */
  readonly blockMs: number
}

export const benchPaint: Group = async (_size, folder) => {
  ensureBuilt()
  // Loaded here, since the other groups measure memory in processes of this same script.
  const { chromium } = await import('@playwright/test')
  const workspace = join(folder, 'workspace')
  const sessions = join(folder, 'sessions')
  await recordSession(workspace, sessions)
  const host = await startHost(folder, ['--workspace', workspace, '--sessions', sessions])
  const browser = await chromium.launch({ executablePath: findChromium() ?? undefined, args: browserFlags })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(host.startUrl)
    const first = await choose(page, 'small-0.ts')
    const small: Painted[] = []
    const big: Painted[] = []
    for (let at = 0; at < times; at++) {
      big.push(await choose(page, `big-${at}.ts`))
      small.push(await choose(page, `small-${at + 1}.ts`))
    }
    const asked = await askAndPaint(page, folder, workspace)
    const rows = [
      ['10 lines, editor not loaded yet', first.ms, first.ms, first.blockMs],
      ['10 lines', ...summary(small)],
      ['10,000 lines, each another one', ...summary(big)],
      ['the same, from the call of the tool to the approval', ...summary(asked)],
    ]
    const goals = [
      { what: 'from choosing a file of 10,000 new lines to the painted diff, ms', measured: fastest(big, 'ms'), atMost: paintMs },
      { what: 'from a call that writes 10,000 new lines to the painted question, ms', measured: fastest(asked, 'ms'), atMost: paintMs },
      { what: 'longest task of the window meanwhile, ms', measured: Math.max(fastest(big, 'blockMs'), fastest(asked, 'blockMs')), atMost: 50 },
    ]
    return { tables: [table('From choosing a file to its painted diff', ['file', 'fastest, ms', 'slowest, ms', 'longest task, ms'], rows)], goals }
  } finally {
    await browser.close()
    await host.stop()
  }
}

function summary(all: readonly Painted[]): readonly [number, number, number] {
  return [fastest(all, 'ms'), Math.max(...all.map(({ ms }) => ms)), Math.max(...all.map(({ blockMs }) => blockMs))]
}

function fastest(all: readonly Painted[], what: keyof Painted): number {
  return Math.min(...all.map((each) => each[what]))
}

function textOf(name: string, count: number, seed: number): string {
  return codeLines(randomFrom(seed), count).map((line, at) => `/* ${name} ${seed}.${at} */ ${line}\n`).join('')
}

/** One turn that rewrites long files and short ones. Every line begins with the name of its file. */
async function recordSession(workspace: string, sessions: string): Promise<void> {
  const names = Array.from({ length: times + 1 }, (_, at) => [[`small-${at}.ts`, 10], [`big-${at}.ts`, 10_000]] as const).flat()
  const agent = new SimulatedAgent(Object.fromEntries(names.map(([name, count]) => [name, textOf(name, count, 1)])), 100, workspace)
  agent.prompt('Write all files anew')
  for (const [name, count] of names) agent.write(name, textOf(name, count, 2))
  agent.reply()
  await agent.save(sessions)
  mkdirSync(workspace)
  for (const [path, { bytes }] of agent.files) writeFileSync(join(workspace, path), bytes)
}

/** Agents start our command line, in the same data folder. */
const hostEnv = (folder: string): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', HOME: folder, USERPROFILE: folder, OVERTURN_DATA_DIR: join(folder, 'data') })

/** An agent writes long files anew, one after the other; each is approved when it was painted. */
async function askAndPaint(page: Page, folder: string, workspace: string): Promise<readonly Painted[]> {
  const agent = await connectMcpAgent({ program: join(root, 'dist', 'cli.cjs'), workspace, env: hostEnv(folder), client: 'claude-code' })
  await page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name: /^Approvals/ }).click()
  const all: Painted[] = []
  for (let at = 0; at < times; at++) {
    const name = `big-${at}.ts`
    const painted = page.evaluate(paintedQuestion, `/* ${name} 3.`)
    // The page listens before the call begins.
    await page.evaluate(() => undefined)
    const start = Date.now()
    const answer = agent.call('write_file', { path: name, content: textOf(name, 10_000, 3) })
    const { at: end, blockMs } = await painted
    all.push({ ms: end - start, blockMs })
    await page.keyboard.press('a')
    await answer
  }
  await agent.close()
  return all
}

async function startHost(folder: string, flags: readonly string[]): Promise<{ readonly startUrl: string; readonly stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [join(root, 'dist', 'serve.cjs'), '--no-open', '--port', '0', ...flags], { env: hostEnv(folder), stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const startUrl = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = /http:\/\/\S+/.exec(line)?.[0]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`The web host ended with ${code} before it printed its address.`)))
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await exited
  }
  return { startUrl, stop }
}

/** Chooses a file with the pointer, and waits until its diff is painted with its colours. */
async function choose(page: Page, name: string): Promise<Painted> {
  const row = page.getByRole('listbox', { name: 'Changed files' }).getByRole('option', { name: new RegExp(`^${name.replace('.', '\\.')}[, ]`) })
  await row.scrollIntoViewIfNeeded()
  const painted = page.evaluate(async (fileName) => {
    const tasks: PerformanceEntry[] = []
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()))
    observer.observe({ type: 'longtask' })
    const start = await new Promise<number>((resolve) => {
      document.addEventListener('pointerdown', (event) => resolve(event.timeStamp), { once: true, capture: true })
    })
    const isShown = (): boolean => {
      const pane = document.querySelector('[aria-label="Diff"]')
      const after = pane?.querySelector('.editor.modified')
      const text = after?.querySelector('.view-lines')?.textContent?.replaceAll('\u00a0', ' ') ?? ''
      return text.includes(`/* ${fileName} 2.`) && after?.querySelector('.line-insert') !== null && pane?.querySelector('.editor-cover') === null
    }
    const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve))
    while (!isShown()) await nextFrame()
    // A task that is put off in a frame runs after that frame was painted.
    await nextFrame()
    await new Promise((resolve) => setTimeout(resolve))
    const ms = performance.now() - start
    // Long tasks are told of a little later.
    await new Promise((resolve) => setTimeout(resolve, 300))
    tasks.push(...observer.takeRecords())
    return { ms, blockMs: Math.max(0, ...tasks.filter((task) => task.startTime + task.duration > start).map((task) => task.duration)) }
  }, name)
  await row.click()
  return painted
}

/** Runs in the page: when a question's diff with this text was painted, in ms since 1970. */
async function paintedQuestion(words: string): Promise<{ readonly at: number; readonly blockMs: number }> {
  const tasks: PerformanceEntry[] = []
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries()))
  observer.observe({ type: 'longtask' })
  const isShown = (): boolean => {
    const after = document.querySelector('[aria-label="Question"] .editor.modified')
    const text = after?.querySelector('.view-lines')?.textContent?.replaceAll('\u00a0', ' ') ?? ''
    return text.includes(words) && after?.querySelector('.line-insert') !== null
  }
  const nextFrame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve))
  while (!isShown()) await nextFrame()
  await nextFrame()
  await new Promise((resolve) => setTimeout(resolve))
  const at = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 300))
  tasks.push(...observer.takeRecords())
  return { at, blockMs: Math.max(0, ...tasks.map((task) => task.duration)) }
}
