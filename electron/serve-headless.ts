import { createApp } from './app.js'

/** Without anyone connected a host that nobody sees ends after so long. */
const idleMs = 30_000

/**
 * Serves agents without a window, for as long as any is connected; a window that is opened meanwhile shows their questions. Exit
 * code 0 where another process serves them already, else `null`: it goes on running.
 */
export async function serveHeadless(programFolder: string, self: readonly string[]): Promise<number | null> {
  let idle: NodeJS.Timeout | null = null
  const onConnections = (count: number): void => {
    if (idle) clearTimeout(idle)
    idle = count === 0 ? setTimeout(stop, idleMs) : null
  }
  const app = await createApp({
    environment: process.env,
    programFolder,
    host: { pickFolder: null, pickFile: null, reveal: null, notify: null },
    workspace: null,
    isWorkspaceForced: false,
    locations: [],
    isWatching: false,
    desk: 'holds',
    commandLine: self,
    onConnections,
  })
  const stop = (): void => void app.dispose().finally(() => process.exit(0))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
  if ((await app.desk.join()) === 'elsewhere') {
    await app.dispose()
    return 0
  }
  onConnections(0)
  return null
}
