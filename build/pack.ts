// Packs the built app into a folder around an Electron that is at hand, so that nothing is downloaded:
// `node build/run.cjs pack <executable of Electron> <its version> <folder>`.

import { dirname } from 'node:path'
import { build, DIR_TARGET, Platform } from 'electron-builder'
import { config } from './electron-builder.config.js'

const [executable, electronVersion, output] = process.argv.slice(2)
if (executable === undefined || electronVersion === undefined || output === undefined) throw new Error('Name an executable, its version and a folder.')
await build({
  targets: Platform.current().createTarget(DIR_TARGET),
  publish: 'never',
  config: { ...config, directories: { ...config.directories, output }, electronDist: dirname(executable), electronVersion },
})
