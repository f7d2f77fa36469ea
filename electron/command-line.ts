import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { createApp, versionOf } from './app.js'
import { connectDesk } from './agents/desk-client.js'
import { framePort } from './agents/frame-lines.js'
import { openLog } from './base/log.js'
import { dataFolderPath, openDataFolder } from './base/settings.js'
import { approvalCommand, approvalCommands, type ApprovalCommand } from './commands/approvals.js'
import { mcp, startHeadlessHost } from './commands/mcp.js'
import { openOutput } from './commands/output.js'
import { progressLine } from './commands/progress-line.js'
import { calm, refused, runCommandLine, type Terminal } from './commands/run-command-line.js'
import { visible } from './commands/words.js'
import { createDeskLink } from './live/desk-link.js'
import { serveApp } from './serve-app.js'
import { serveHeadless } from './serve-headless.js'

/**
 * Runs one command: one answer, an exit code; `null` for those that go on (`serve`, `host`).
 *
 * Shape: `words` without node and script; `self` is the program and first words that run this command line.
 */
export async function commandLine(words: readonly string[], programFolder: string, self: readonly string[]): Promise<number | null> {
  const [option, folder, ...others] = words
  if (option === '--data' && folder !== undefined) {
    // Processes that are started from here must find the same folder.
    process.env['OVERTURN_DATA_DIR'] = resolve(folder)
    return commandLine(others, programFolder, self)
  }
  const [name = 'help', ...rest] = words
  const dataFolder = dataFolderPath(process.env, process.platform, homedir())
  const output = openOutput(process.stdout, process.stderr)
  const note = output.note
  if (name === 'serve') return begun(words, calm(output), () => serveApp(rest, programFolder))
  if (name === 'host') return begun(words, calm(output), () => serveHeadless(programFolder, self))
  if (name === 'mcp') {
    return mcp(rest, { input: process.stdin, output: process.stdout, note, folder: process.cwd(), dataFolder, startHost: () => startHeadlessHost(self) })
  }
  /** A file or a patch goes into a pipe byte for byte; on a screen it must not be obeyed. */
  const out = (text: string | Uint8Array): void => output.out(typeof text !== 'string' && process.stdout.isTTY ? visible(new TextDecoder().decode(text)) : text)
  const isAboutVersion = name === '--version' || name === '-V' || name === 'version'
  if (isAboutVersion) out(`${await versionOf(programFolder)}\n`)
  const code = isAboutVersion ? 0 : await begun(words, calm({ out, note }), () => answerOnce(words, programFolder, self, { out, note }))
  return (await output.end()) ? code : 1
}

/** What cannot even begin (no data folder can be made) is refused in words too. */
async function begun(words: readonly string[], terminal: Terminal, run: () => Promise<number | null>): Promise<number | null> {
  return run().catch((thrown: unknown) => refused(thrown, words, terminal))
}

async function answerOnce(words: readonly string[], programFolder: string, self: readonly string[], terminal: Terminal): Promise<number> {
  const [name = 'help', ...rest] = words
  const dataFolder = dataFolderPath(process.env, process.platform, homedir())
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const question = approvalCommands.find((each) => each === name)
  if (question && !rest.includes('--help')) return askDesk(question, rest, dataFolder, terminal, stop.signal)
  const screen = progressLine(terminal, process.stderr)
  const code = await runCommandLine(words, screen, async (line) => {
    // For a search and for the list it narrows them, by the folders of the sessions.
    const workspace = line.name === 'search' || line.name === 'sessions' ? null : line.text('workspace')
    const app = await createApp({
      environment: process.env,
      programFolder,
      host: { pickFolder: null, pickFile: null, reveal: null, notify: null },
      workspace: workspace === null ? null : resolve(workspace),
      // A line of a file may be from any session; those whose own folder is here stay there.
      isWorkspaceForced: line.name !== 'why',
      locations: line.texts('sessions').map((place) => resolve(place)),
      isWatching: false,
      desk: 'asks',
      commandLine: self,
    })
    const open = async (session: string) => {
      const opened = await app.workbench.open((await app.library.find(session, stop.signal)).key)
      await opened.recorded.whenLoaded(stop.signal)
      return opened
    }
    const sessions = async () => {
      await app.library.whenCounted(stop.signal)
      return app.library.list().sessions
    }
    return { world: { sessions, open, search: app.search, ...screen, signal: stop.signal }, close: app.dispose }
  })
  screen.end()
  return code
}

/** Commands about questions only talk to the process that holds them. */
async function askDesk(name: ApprovalCommand, words: readonly string[], dataFolder: string, terminal: Terminal, signal: AbortSignal): Promise<number> {
  openDataFolder(dataFolder)
  const listeners: (() => void)[] = []
  const desk = createDeskLink({
    hold: () => Promise.resolve(null),
    reach: () => connectDesk(dataFolder, { kind: 'rpc' }),
    portOf: framePort,
    mayHold: false,
    onEvent: () => listeners.forEach((listener) => listener()),
    log: openLog(dataFolder),
  })
  try {
    return await approvalCommand(name, words, { desk: desk.handlers, onChanged: (listener) => listeners.push(listener), ...calm(terminal), signal })
  } finally {
    await desk.close()
  }
}

/** Whether a first word begins a command line, and is no flag of the window. */
export function isCommandWord(word: string | undefined): boolean {
  return word !== undefined && (['--data', '--version', '-V', '--help', '-h'].includes(word) || /^[a-z][a-z-]*$/.test(word))
}

/** How the command line is run from this very program: by itself where it is packed, else by a script beside it. */
export function selfCommand(programFolder: string, isPacked: boolean): readonly string[] {
  return isPacked ? [process.execPath] : [process.execPath, join(programFolder, 'cli.cjs')]
}
