import { defineConfig } from '@playwright/test'
import type { TestOptions } from './open-app.js'

export default defineConfig<object, TestOptions>({
  testDir: '.',
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  fullyParallel: true,
  workers: 2,
  reporter: process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] ? [['dot'], ['json']] : [['list']],
  use: { trace: 'retain-on-failure' },
  projects: [
    { name: 'web', grepInvert: /@electron/, outputDir: '../test-results/web', use: { target: 'web' } },
    { name: 'electron', grepInvert: /@web/, outputDir: '../test-results/electron', use: { target: 'electron' } },
  ],
})
