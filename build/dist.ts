// `npm run dist`: packs the app as installers into release/, for this system or for those that are named:
// `npm run dist -- --linux --mac --win`. `--dir` packs a folder to start from instead. What a target needs beyond the
// packages (Electron itself, the tools of an installer) is downloaded by electron-builder.

import { build, DIR_TARGET, Platform } from 'electron-builder'
import { ensureBuilt } from './bootstrap.cjs'
import { config } from './electron-builder.config.js'

const platforms = { '--linux': Platform.LINUX, '--mac': Platform.MAC, '--win': Platform.WINDOWS }
const flags = process.argv.slice(2)
const unknown = flags.filter((flag) => flag !== '--dir' && !(flag in platforms))
if (unknown.length > 0) {
  process.stderr.write(`Unknown: ${unknown.join(' ')}. Use --linux, --mac, --win and --dir.\n`)
  process.exit(2)
}

ensureBuilt()
const named = Object.entries(platforms).flatMap(([flag, platform]) => (flags.includes(flag) ? [platform] : []))
const isFolder = flags.includes('--dir')
for (const platform of named.length > 0 ? named : [Platform.current()]) {
  const files = await build({ targets: platform.createTarget(isFolder ? DIR_TARGET : null), publish: 'never', config })
  process.stdout.write(`${files.join('\n')}\n`)
}
