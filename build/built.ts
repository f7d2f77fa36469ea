// Builds one module of the project so that plain Node can import it, and prints its path and nothing else:
// `npm run -s built -- bench-adapter`.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'

const modules: Readonly<Record<string, string>> = {
  'bench-adapter': 'build/bench/adapter.ts',
  sed: 'electron/edits/simulate-sed.ts',
}

const name = process.argv[2] ?? ''
const source = modules[name]
if (source === undefined || !existsSync(source)) {
  process.stderr.write(`There is no module "${name}". Choose one of: ${Object.keys(modules).join(', ')}.\n`)
  process.exit(2)
}
const outfile = resolve('.cache', 'built', `${name}.mjs`)
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
process.stdout.write(`${outfile}\n`)
