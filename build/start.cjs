'use strict'
// `npm start`: installs and builds what is missing, then opens the window, or serves the browser where there is none.
// Every flag goes on to the host; `--web` alone is ours and asks for the browser.

const { spawn, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')
const { root, ensureBuilt, findElectron } = require('./bootstrap.cjs')

/** Why there is no window here, or `null`. */
function noWindowReason() {
  if (process.platform !== 'linux') return null
  if (!process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return 'There is no display here'
  if (process.getuid() === 0) return 'Electron does not run as root'
  return null
}

/** The executable, downloaded if need be. A download that failed is never tried a second time by itself. */
function electronOrNull() {
  const { version } = require(path.join(root, 'node_modules', 'electron', 'package.json'))
  const stamp = path.join(root, '.cache', `electron-${version}-tried`)
  if (findElectron() === null && !fs.existsSync(stamp)) {
    fs.mkdirSync(path.dirname(stamp), { recursive: true })
    fs.writeFileSync(stamp, 'Overturn tried to download Electron once. To try again, run: npx install-electron\n')
    process.stderr.write(`Getting Electron ${version}, once.\n`)
    spawnSync(process.execPath, [path.join(root, 'node_modules', 'electron', 'install.js')], { cwd: root, stdio: 'ignore', timeout: 600_000 })
    if (findElectron() !== null) fs.rmSync(stamp)
  }
  return findElectron()
}

/** The command and first argument of the host to start. */
function chooseHost(wantsWeb) {
  const web = [process.execPath, path.join(root, 'dist', 'serve.cjs')]
  if (wantsWeb) return web
  const reason = noWindowReason()
  const electron = reason === null ? electronOrNull() : null
  if (electron !== null) return [electron, root]
  const why = reason ?? 'Electron could not be downloaded ("npx install-electron" tries again)'
  process.stderr.write(`${why}: Overturn opens in the browser instead.\n`)
  return web
}

ensureBuilt()
const flags = process.argv.slice(2)
const [command, entry] = chooseHost(flags.includes('--web'))
const child = spawn(command, [entry, ...flags.filter((flag) => flag !== '--web')], {
  cwd: process.env.INIT_CWD ?? process.cwd(),
  stdio: 'inherit',
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : 1)
})
