// Builds dist/: the renderer, the main process with both hosts and the command line, and the preload script.
// `node build/run.cjs bundle [hash]`: the hash of the sources lets bootstrap.cjs see later that dist/ is up to date.

import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { basename, join, resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { build, type InlineConfig } from 'vite'

const root = process.cwd()
/** Everything is built here first, so that a failed build leaves the last good one in place. */
const fresh = resolve(root, '.cache', `dist-${process.pid}`)

/** The recorded session that a newcomer is offered: its log and backups, and the files as they were at its end. */
const sample = 'electron/sessions/fixtures/qwen-code/shop'

const common: InlineConfig = { configFile: false, logLevel: 'warn', envDir: false, mode: 'production' }

const renderer: InlineConfig = {
  ...common,
  root: resolve(root, 'renderer'),
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: join(fresh, 'renderer'),
    emptyOutDir: true,
    target: 'chrome114',
    // The editor's theme reads the colours of custom properties and takes six digits; minified, #ffffff is #fff.
    cssMinify: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 6000,
  },
}

/**
 * One entry, in one file: CommonJS for Node 18, since the oldest Electron that must run it has that Node and no ES
 * modules in the main process. Entries are built one by one: together they would share chunks, a sandboxed preload
 * must be one file, and the bundler may put shared code into an entry, whose import would then start it.
 */
function node(name: string, source: string): InlineConfig {
  return {
    ...common,
    root,
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: fresh,
      emptyOutDir: false,
      target: 'node18',
      minify: false,
      rolldownOptions: {
        input: { [name]: source },
        external: ['electron', /^@vscode\/ripgrep/, ...builtinModules, /^node:/],
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  }
}

/** Each `electron/**` file named `…-worker.ts` becomes a script of its own beside main.cjs. */
async function workerEntries(): Promise<Record<string, string>> {
  const files = await readdir(resolve(root, 'electron'), { recursive: true })
  const workers = files.filter((file) => file.endsWith('-worker.ts'))
  return Object.fromEntries(workers.map((file) => [basename(file, '.ts'), join('electron', file)]))
}

async function bundle(hash: string | undefined): Promise<void> {
  const entries = {
    main: 'electron/main.ts',
    serve: 'electron/serve.ts',
    cli: 'electron/cli.ts',
    preload: 'electron/hosts/preload.ts',
    ...(await workerEntries()),
  }
  await mkdir(fresh, { recursive: true })
  await build(renderer)
  for (const [name, source] of Object.entries(entries)) await build(node(name, resolve(root, source)))
  for (const part of ['home', 'trees/final']) await cp(resolve(root, sample, part), join(fresh, 'sample', part), { recursive: true })
  await writeFile(join(fresh, 'package.json'), '{ "type": "commonjs" }\n')
  if (hash !== undefined) await writeFile(join(fresh, '.sources'), hash)
  await replaceFolder(resolve(root, 'dist'), fresh)
}

/** Puts `next` in the place of `folder`. When another build at the same time was faster, its result stays. */
async function replaceFolder(folder: string, next: string): Promise<void> {
  const old = `${next}.old`
  await rename(folder, old).catch(() => undefined)
  await rename(next, folder).catch((thrown: unknown) => {
    if (!existsSync(folder)) throw thrown
  })
  await rm(old, { recursive: true, force: true })
}

try {
  await bundle(process.argv[2])
} finally {
  await rm(fresh, { recursive: true, force: true })
}
