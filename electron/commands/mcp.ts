import { spawn, type SpawnOptions } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Duplex, Readable, Writable } from 'node:stream'
import { parseArgs } from 'node:util'
import { approvalModes, type ApprovalMode } from '../../shared/approval.js'
import { ReviewError, toWireError } from '../../shared/errors.js'
import { connectDesk, type DeskHello } from '../agents/desk-client.js'
import { AgentSide, relay } from './agent-side.js'

/** A host that is being started: it lives on without us. */
export interface StartedHost {
  /** Resolves with a sentence when it ended at once, or could not be started; else never. */
  readonly failed: Promise<string>
}

/** What the shim stands between, and how it gets a host. */
export interface McpWorld {
  readonly input: Readable
  readonly output: Writable
  readonly note: (text: string) => void
  /** Where the user stands; a relative workspace is meant from here. */
  readonly folder: string
  readonly dataFolder: string
  readonly startHost: () => StartedHost
  /** How long a host may take to start. */
  readonly startTimeMs?: number
}

type McpLine =
  { readonly kind: 'options'; readonly workspace: string; readonly mode: ApprovalMode | null } | { readonly kind: 'usage'; readonly why: string }

const usage = `Usage: overturn mcp [--workspace DIR] [--mode ${approvalModes.join('|')}]`
const usualStartTimeMs = 10_000
const pollMs = 100
/** A host that ended may have lost a race against another one, which is about to answer. */
const afterHostEndedMs = 2_000

/**
 * Stands between an agent that speaks MCP on our standard streams and the host that holds the desk, which is started when none
 * runs. Every line passes as it is.
 *
 * Without a host each request is answered with an error that says what to do, and nothing is written. If the host dies, each open
 * request is answered so. Exit codes: 0 the agent went, 1 no host or a host that died, 2 not understood.
 */
export async function mcp(words: readonly string[], world: McpWorld): Promise<number> {
  const line = readWords(words, world.folder)
  if (line.kind === 'usage') {
    world.note(`${line.why}\n${usage}\n`)
    return 2
  }
  const agent = new AgentSide(world.input, world.output)
  try {
    if (!isFolder(line.workspace)) throw new ReviewError('WORKSPACE_MISSING', 'The folder given with --workspace does not exist. Correct it in the settings of the agent.')
    return await relay(await reachDesk({ kind: 'mcp', workspace: line.workspace, mode: line.mode }, world), agent)
  } catch (thrown) {
    const { message } = toWireError(thrown)
    world.note(`overturn mcp: ${message}\n`)
    await agent.refuseAll(message)
    return 1
  } finally {
    await agent.leave()
  }
}

/** Starts the host that needs no window, in a process of its own that outlives this one; the words run our command line. */
export function startHeadlessHost([program = process.execPath, ...first]: readonly string[]): StartedHost {
  // A folder that stays: the one of the agent may be removed while the host lives, and the one of the file may lie in an archive.
  const options: SpawnOptions = { detached: true, stdio: 'ignore', windowsHide: true, cwd: dirname(program) }
  // Some agents end all that descends from them; what a shell has left behind descends from nobody. It goes when the host has begun.
  const isOrphaned = process.platform !== 'win32' && existsSync('/bin/sh')
  const host = isOrphaned ? spawn('/bin/sh', ['-c', '"$0" "$@" & sleep 1; kill -0 $! || wait $!', program, ...first, 'host'], options) : spawn(program, [...first, 'host'], options)
  host.unref()
  return {
    failed: new Promise((resolveWhy) => {
      host.once('error', (error) => resolveWhy(`It could not be started (${error.message}).`))
      host.once('exit', (code, signal) => {
        if (!isOrphaned || code !== 0) resolveWhy(`It ended at once (${code === null ? signal : `exit code ${code}`}).`)
      })
    }),
  }
}

function readWords(words: readonly string[], folder: string): McpLine {
  try {
    const { values } = parseArgs({ args: [...words], strict: true, options: { workspace: { type: 'string' }, mode: { type: 'string' } } })
    const mode = approvalModes.find((each) => each === values.mode) ?? null
    if (values.mode !== undefined && mode === null) return { kind: 'usage', why: `--mode takes one of: ${approvalModes.join(', ')}.` }
    return { kind: 'options', workspace: resolve(folder, values.workspace ?? '.'), mode }
  } catch (thrown) {
    return { kind: 'usage', why: thrown instanceof Error ? thrown.message : 'The options could not be read.' }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Errors: HOST_NOT_RUNNING when none could be started in time; what `connectDesk` throws or is refused with. */
async function reachDesk(hello: DeskHello, { dataFolder, startHost, startTimeMs = usualStartTimeMs }: McpWorld): Promise<Duplex> {
  let failure: string | null = null
  let host: StartedHost | null = null
  for (let endsAt = Date.now() + startTimeMs; ; ) {
    const reach = await connectDesk(dataFolder, hello)
    if (reach.kind === 'open') return reach.stream
    if (reach.kind === 'refused') throw reach.error
    if (!host) {
      host = startHost()
      void host.failed.then((why) => {
        failure = why
        endsAt = Math.min(endsAt, Date.now() + afterHostEndedMs)
      })
    }
    if (Date.now() >= endsAt) break
    await new Promise((wake) => setTimeout(wake, pollMs))
  }
  const why = failure === null ? '' : ` ${failure}`
  throw new ReviewError('HOST_NOT_RUNNING', `Overturn is not running and could not be started in the background.${why} Start Overturn, then connect to this server again.`)
}
