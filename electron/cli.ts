#!/usr/bin/env node
import { resolve } from 'node:path'
import { createApp } from './app.js'
import { runCommandLine } from './commands/run-command-line.js'
import { serveApp } from './serve-app.js'

/** The command line: one command, one answer, an exit code. `serve` is the window in a browser. */
async function main(words: readonly string[]): Promise<number | null> {
  if (words[0] === 'serve') return serveApp(words.slice(1), __dirname)
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const out = (text: string | Uint8Array): unknown => process.stdout.write(text)
  const note = (text: string): unknown => process.stderr.write(text)
  return runCommandLine(words, { out, note }, async (line) => {
    const workspace = line.text('workspace')
    const app = await createApp({
      environment: process.env,
      programFolder: __dirname,
      host: { pickFolder: null, pickFile: null, reveal: null },
      workspace: workspace === null ? null : resolve(workspace),
      isWorkspaceForced: true,
      locations: line.texts('sessions').map((place) => resolve(place)),
      isWatching: false,
    })
    const open = async (name: string) => {
      const opened = await app.workbench.open((await app.library.find(name, stop.signal)).key)
      await opened.recorded.whenLoaded(stop.signal)
      return opened
    }
    const sessions = async () => {
      await app.library.whenCounted(stop.signal)
      return app.library.list().sessions
    }
    return { world: { sessions, open, out, note, signal: stop.signal }, close: app.dispose }
  })
}

void main(process.argv.slice(2)).then((code) => {
  if (code !== null) process.exitCode = code
})
