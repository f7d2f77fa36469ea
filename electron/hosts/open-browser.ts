import { spawn } from 'node:child_process'

/**
 * Opens `url` in the person's browser, best effort; `false` when there is no display to open it on.
 *
 * The address shows in the process list for a moment, which is why it admits only once.
 */
export function openBrowser(url: string, platform: NodeJS.Platform, env: NodeJS.ProcessEnv): boolean {
  const opener = browserCommand(url, platform, env)
  if (opener === null) return false
  const [command, ...args] = opener
  const child = spawn(command, args, { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
  return true
}

/** The command that opens `url` on this platform, or `null` without a display. */
export function browserCommand(
  url: string,
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): readonly [command: string, ...args: string[]] | null {
  if (platform === 'darwin') return ['open', url]
  // The empty words are the window title that `start` expects first.
  if (platform === 'win32') return ['cmd', '/c', 'start', '', url]
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open', url] : null
}
