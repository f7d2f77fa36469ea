// Draws build/icon.png from build/icon.svg; run it after a change to the drawing: `node build/run.cjs icon`.

import { readFile } from 'node:fs/promises'
import { chromium } from '@playwright/test'
import { findChromium } from './bootstrap.cjs'

const size = 512
const browser = await chromium.launch({ executablePath: findChromium() ?? undefined, args: ['--no-sandbox', '--disable-gpu'] })
const page = await browser.newPage({ viewport: { width: size, height: size } })
await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${await readFile('build/icon.svg', 'utf8')}`)
await page.screenshot({ path: 'build/icon.png', omitBackground: true })
await browser.close()
