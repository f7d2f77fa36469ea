'use strict'
// Runs one TypeScript script of this folder: `node build/run.cjs bundle` compiles and runs build/bundle.ts.
// The working folder of the script is the project, whatever the caller's was.

const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { root, ensureInstalled } = require('./bootstrap.cjs')

const [name, ...args] = process.argv.slice(2)
process.chdir(root)
ensureInstalled()

// Below the installed packages, so that the script's imports of them resolve.
const outfile = path.join(root, 'node_modules', '.cache', 'overturn', `${name.replaceAll('/', '-')}-${process.pid}.mjs`)
const esbuild = require('esbuild')
esbuild.buildSync({
  entryPoints: [path.join(__dirname, `${name}.ts`)],
  outfile,
  bundle: true,
  packages: 'external',
  // It knows where it lies, which is where the project lies.
  external: [path.join(__dirname, 'bootstrap.cjs')],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
})
esbuild.stop()

process.on('exit', () => fs.rmSync(outfile, { force: true }))
process.setSourceMapsEnabled(true)
process.argv = [process.argv[0], outfile, ...args]
void import(pathToFileURL(outfile).href)
