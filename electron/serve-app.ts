import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createApp } from './app.js'
import { readFlags, usage } from './hosts/flags.js'
import { openBrowser } from './hosts/open-browser.js'
import { startWebHost } from './hosts/web-host.js'

/**
 * Serves the window to a browser on this computer until it is told to stop, and prints its address.
 *
 * Shape: `words` are the flags of `npm start`; `programFolder` is where the built program lies. Exit code 2 for flags
 * that are not understood, 1 where the port cannot be had, else `null`: it goes on running.
 */
export async function serveApp(words: readonly string[], programFolder: string): Promise<number | null> {
  const read = readFlags(words, process.cwd(), false)
  if (read.kind === 'usage') {
    process.stderr.write(`${read.why}\n${usage}\n`)
    return 2
  }
  const { port, opensBrowser, workspace, sessions } = read.flags
  const host = { pickFolder: null, pickFile: null, reveal: null, notify: null }
  const app = await createApp({ environment: process.env, programFolder, host, workspace, isWorkspaceForced: false, locations: sessions, isWatching: true, desk: 'holds', commandLine: [process.execPath, join(programFolder, 'cli.cjs')] })
  await app.desk.join()
  const web = await startWebHost({ app, rendererFolder: join(programFolder, 'renderer'), port }).catch(async (thrown: unknown) => {
    await app.dispose()
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
    return null
  })
  if (!web) return 1
  const url = web.newStartUrl()
  process.stdout.write(`Overturn is at ${url}\nThe address works once; press Enter for another. Ctrl C stops Overturn.\n`)
  if (process.stdin.isTTY) createInterface({ input: process.stdin }).on('line', () => process.stdout.write(`${web.newStartUrl()}\n`))
  if (opensBrowser) openBrowser(url, process.platform, process.env)

  const stop = (): void => {
    void web
      .close()
      .then(app.dispose)
      .finally(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  return null
}
