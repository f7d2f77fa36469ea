'use strict'
// Makes a bare clone runnable: checks Node, installs packages, builds, and for tests finds a browser.
// It runs before anything is installed, so it has no dependencies; it speaks on standard error only, because
// the standard output of `npm run -s overturn` and `npm run -s built` belongs to them.

const { createHash } = require('node:crypto')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '..')
const installStamp = path.join(root, 'node_modules', '.overturn-installed')
const buildStamp = path.join(root, 'dist', '.sources')
const sourceFolders = ['shared', 'electron', 'renderer', 'build']

/** Installs the locked packages when the lock, the platform or the major version of Node has changed. */
function ensureInstalled() {
  requireNode(20, 19)
  const wanted = hash([fs.readFileSync(path.join(root, 'package-lock.json')), process.platform, process.arch, process.versions.modules])
  unlessStamped(installStamp, wanted, () => {
    say('Installing packages.')
    run(...npm('ci'), 'Installing packages failed. The lines above say why; run the same command again once that is fixed.')
    fs.writeFileSync(installStamp, wanted)
  })
}

/** Builds `dist/` when a source has changed since the last build. */
function ensureBuilt() {
  ensureInstalled()
  const wanted = sourceHash()
  unlessStamped(buildStamp, wanted, () => {
    say('Building Overturn.')
    run(process.execPath, [path.join(__dirname, 'run.cjs'), 'bundle', wanted], 'Building Overturn failed. The lines above say why.')
  })
}

/**
 * Does work whose stamp is out of date, one process at a time: an agent may start us while a person does, and two that install at
 * once leave half of each.
 */
function unlessStamped(stamp, wanted, work) {
  if (readOr(stamp, '') === wanted) return
  const lock = path.join(root, '.cache', 'bootstrap.lock')
  fs.mkdirSync(path.dirname(lock), { recursive: true })
  while (!takeLock(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  try {
    if (readOr(stamp, '') !== wanted) work()
  } finally {
    releaseLock(lock)
  }
}

/** A process that works under the lock may start another that needs it: it hands it on in the environment. */
function takeLock(lock) {
  if (process.env.OVERTURN_BOOTSTRAP === String(process.ppid)) return true
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' })
    process.once('exit', () => releaseLock(lock))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
  const holder = Number(readOr(lock, ''))
  if (holder > 0 && !isRunning(holder)) fs.rmSync(lock, { force: true })
  return false
}

function releaseLock(lock) {
  if (readOr(lock, '') === String(process.pid)) fs.rmSync(lock, { force: true })
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/** Provides a Chromium for the end-to-end tests, and on a Linux without display the virtual one Electron needs. */
function ensureBrowser() {
  ensureInstalled()
  const isLinux = process.platform === 'linux'
  const hasChromium = findChromium() !== null || hasPlaywrightChromium()
  const needsDisplay = isLinux && !process.env.DISPLAY && !fs.existsSync('/usr/bin/xvfb-run')
  if (isLinux && process.getuid() === 0 && isDebian()) {
    const packages = [...(hasChromium ? [] : ['chromium', 'fonts-dejavu-core']), ...(needsDisplay ? ['xvfb', 'xauth'] : [])]
    if (packages.length === 0) return
    say(`Installing ${packages.join(', ')} with apt.`)
    const apt = ['-qq', '-y', '-o', 'DPkg::Lock::Timeout=300']
    run('apt-get', [...apt, 'update'], 'apt-get update failed. The lines above say why.')
    run('apt-get', [...apt, 'install', '--no-install-recommends', ...packages], 'Installing the test browser failed. The lines above say why.')
  } else if (!hasChromium) {
    say('Installing the browser of Playwright.')
    const withDeps = isLinux && process.getuid() === 0 ? ['--with-deps'] : []
    const cli = path.join(root, 'node_modules', '@playwright', 'test', 'cli.js')
    run(process.execPath, [cli, 'install', ...withDeps, 'chromium'], 'Installing the test browser failed. Set CHROMIUM_PATH to a Chromium of your own.')
  }
}

/** The path of a Chromium on this machine, or `null` where Playwright should use its own. `CHROMIUM_PATH` wins. */
function findChromium() {
  const places = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ]
  return places.find((place) => place && fs.existsSync(place)) ?? null
}

function hasPlaywrightChromium() {
  const { chromium } = require(path.join(root, 'node_modules', '@playwright', 'test'))
  return fs.existsSync(chromium.executablePath())
}

/** The path of the official Electron executable, or `null`. Never requires the package: that starts a download. */
function findElectron() {
  const folder = path.join(root, 'node_modules', 'electron')
  const inside = readOr(path.join(folder, 'path.txt'), '')
  const executable = path.join(folder, 'dist', inside)
  return inside !== '' && fs.existsSync(executable) ? executable : null
}

function sourceHash() {
  const files = ['package.json', 'package-lock.json', ...sourceFolders.flatMap((folder) => filesUnder(folder))]
  return hash(files.flatMap((file) => [file, fs.readFileSync(path.join(root, file))]))
}

function filesUnder(folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(test\.tsx?|md)$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort()
}

function hash(parts) {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(String(part.length)).update(':').update(part)
  return sum.digest('hex')
}

/** The command and arguments that run the npm which started us, else the one on the path. */
function npm(...args) {
  const script = process.env.npm_execpath
  if (script && path.basename(script).startsWith('npm')) return [process.execPath, [script, ...args]]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', args]
}

function run(command, args, sorry) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: command.endsWith('.cmd'),
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', OVERTURN_BOOTSTRAP: String(process.pid) },
  })
  if (result.status === 0) return
  if (result.error) say(result.error.message)
  say(sorry)
  process.exit(1)
}

function requireNode(major, minor) {
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number)
  if (haveMajor > major || (haveMajor === major && haveMinor >= minor)) return
  say(`Overturn needs Node ${major}.${minor} or newer; this is Node ${process.versions.node}. Install a newer Node and run the same command again.`)
  process.exit(1)
}

function isDebian() {
  return /^ID=debian$/m.test(readOr('/etc/os-release', ''))
}

function readOr(file, otherwise) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

module.exports = { root, ensureInstalled, ensureBuilt, ensureBrowser, findChromium, findElectron, npm }

if (require.main === module) {
  ensureInstalled()
  if (process.argv.includes('--build')) ensureBuilt()
  if (process.argv.includes('--tests')) ensureBrowser()
}
