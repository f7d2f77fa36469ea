// Builds one module of the project so that plain Node can import it, and prints its path and nothing else:
// `npm run -s built -- bench-adapter`.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildLogWorker, buildModule } from './built-module.js'

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
const folder = resolve('.cache', 'built')
await buildModule(source, resolve(folder, `${name}.mjs`))
// The threads that it starts lie beside it.
if (name === 'bench-adapter') await buildLogWorker(folder)
process.stdout.write(`${resolve(folder, `${name}.mjs`)}\n`)
