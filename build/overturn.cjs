'use strict'
// `npm run -s overturn -- …`: the command line of this checkout, built first when a source has changed.
// npm moves into the project; relative paths on the command line are meant from where the user stands.

const path = require('node:path')
const { root, ensureBuilt } = require('./bootstrap.cjs')

ensureBuilt()
process.chdir(process.env.INIT_CWD ?? process.cwd())
require(path.join(root, 'dist', 'cli.cjs'))
