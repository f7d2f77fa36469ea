import { homedir } from 'node:os'
import { join } from 'node:path'
import { createApp } from './app.js'
import { dataFolderPath } from './base/settings.js'
import { commandLine, isCommandWord, selfCommand } from './command-line.js'
import { createElectronHost } from './hosts/electron-host.js'
import { readFlags } from './hosts/flags.js'

/** The desktop window, or a command where the first word is one. Flags are those of the browser too, so unknown ones are passed over. */
async function main(): Promise<void> {
  const words = process.argv.slice(process.defaultApp ? 2 : 1)
  const self = selfCommand(__dirname, !process.defaultApp)
  if (isCommandWord(words[0])) {
    const code = await commandLine(words, __dirname, self)
    if (code !== null) process.exit(code)
    return
  }
  const dataFolder = dataFolderPath(process.env, process.platform, homedir())
  const host = createElectronHost({ dataFolder, rendererFolder: join(__dirname, 'renderer'), preloadFile: join(__dirname, 'preload.cjs') })
  const read = readFlags(process.argv.slice(1), process.cwd(), true)
  const flags = read.kind === 'flags' ? read.flags : null
  const app = await createApp({
    environment: process.env,
    programFolder: __dirname,
    host,
    workspace: flags?.workspace ?? null,
    isWorkspaceForced: false,
    locations: flags?.sessions ?? [],
    isWatching: true,
    desk: 'holds',
    commandLine: self,
  })
  await app.desk.join()
  await host.open(app, app.dispose)
}

void main().catch((thrown: unknown) => {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
  process.exit(1)
})
