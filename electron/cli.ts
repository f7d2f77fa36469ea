#!/usr/bin/env node
import { commandLine } from './command-line.js'

void commandLine(process.argv.slice(2), __dirname, [process.execPath, __filename]).then((code) => {
  if (code !== null) process.exitCode = code
})
