import { join } from 'node:path'
import { build } from 'esbuild'

/** Bundles a module of the project into one file that plain Node runs. */
export async function buildModule(source: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['electron', '@vscode/ripgrep'],
    // Bundled CommonJS packages call require for Node's own modules.
    banner: { js: "import { createRequire as overturnCreateRequire } from 'node:module'; const require = overturnCreateRequire(import.meta.url);" },
  })
}

/** The thread that looks at logs, into a folder. Returns its file. */
export async function buildLogWorker(folder: string): Promise<string> {
  const outfile = join(folder, 'log-look-worker.mjs')
  await buildModule('electron/sessions/log-look-worker.ts', outfile)
  return outfile
}
