import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    // The real package starts a download when it is required; the tests of the window host drive this stand-in.
    alias: { electron: fileURLToPath(new URL('./electron/testing/fake-electron.ts', import.meta.url)) },
  },
  test: {
    include: ['{shared,electron,renderer,build}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/fixtures/**', '**/scenarios/**'],
    globalSetup: './build/test-folder.ts',
    pool: 'forks',
    testTimeout: 20_000,
  },
})
