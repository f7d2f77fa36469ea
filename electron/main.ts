import { homedir } from 'node:os'
import { join } from 'node:path'
import { createApp } from './app.js'
import { dataFolderPath } from './base/settings.js'
import { createElectronHost } from './hosts/electron-host.js'
import { readFlags } from './hosts/flags.js'

/** The desktop window. Its flags are those of the browser it runs in as well, so unknown ones are passed over. */
async function main(): Promise<void> {
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
  })
  await host.open(app, app.dispose)
}

void main().catch((thrown: unknown) => {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
  process.exit(1)
})
