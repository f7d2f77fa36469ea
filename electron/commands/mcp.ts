import { spawn, type SpawnOptions } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import { approvalModes, type ApprovalMode } from '../../shared/approval.js'
import { ReviewError, toWireError } from '../../shared/errors.js'
import { parseStrict } from '../base/strict-args.js'
import { connectDesk, type DeskHello } from '../agents/desk-client.js'
import { AgentSide } from './agent-side.js'
import { HostSide, unknownEnd } from './host-side.js'

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

type Resume = Extract<DeskHello, { readonly kind: 'mcp' }>['resume']
type McpLine =
  | { readonly kind: 'options'; readonly workspace: string; readonly mode: ApprovalMode | null; readonly resume: Resume }
  | { readonly kind: 'usage'; readonly why: string }

const usage = `Usage: overturn mcp [--workspace DIR] [--mode ${approvalModes.join('|')}] [--continue | --session ID]`
const usualStartTimeMs = 10_000
const pollMs = 100
/** A host that ended may have lost a race against another one, which is about to answer. */
const afterHostEndedMs = 2_000

/**
 * Stands between an agent that speaks MCP on our standard streams and the host that holds the desk, which is started when none
 * runs. Every line passes as it is.
 *
 * Without a host each request is answered with an error that says what to do, and nothing is written. When the host dies, the next
 * one takes over as soon as the agent wants something: the agent goes on in its session, and its open calls are answered by what
 * the log proves. Exit codes: 0 the agent went, 1 no host or a line that is too long, 2 not understood.
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
    return await serve({ kind: 'mcp', workspace: line.workspace, mode: line.mode, resume: line.resume }, agent, world)
  } catch (thrown) {
    const { message } = toWireError(thrown)
    world.note(`overturn mcp: ${message}\n`)
    await agent.refuseAll(message)
    return 1
  } finally {
    await agent.leave()
  }
}

/** Errors: those of `reachDesk` for the first host; where a later one cannot be reached, the next request tries again. */
async function serve(first: DeskHello, agent: AgentSide, world: McpWorld): Promise<number> {
  let host: HostSide | null = await reachDesk(first, world)
  let hello = first
  for (;;) {
    if (host) {
      const end = await host.relay(agent)
      if (end === 'agent') {
        if (agent.problem !== null) world.note(`overturn mcp: ${agent.problem}\n`)
        return agent.problem === null ? 0 : 1
      }
      const { sessionId } = host
      if (sessionId !== null && hello.kind === 'mcp') hello = { ...hello, resume: { kind: 'lost-connection', sessionId } }
    }
    const isGone: boolean = await Promise.race([agent.whenWanted().then(() => false), agent.ended.then(() => true)])
    if (isGone) return 0
    host = await takeOver(hello, agent, world)
  }
}

/** The next host, which knows the agent; `null`, and the open requests are answered, where there is none. */
async function takeOver(hello: DeskHello, agent: AgentSide, world: McpWorld): Promise<HostSide | null> {
  let host: HostSide | null = null
  try {
    host = await reachDesk(hello, world)
    await host.takeOver(agent)
    return host
  } catch (thrown) {
    host?.close()
    const { message } = toWireError(thrown)
    world.note(`overturn mcp: ${message}\n`)
    agent.refuseOpen(message === unknownEnd ? message : `${message} What a call did that was under way before is not known: look at the present state of the files.`)
    return null
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
    const { values } = parseStrict({ args: [...words], strict: true, options: { workspace: { type: 'string' }, mode: { type: 'string' }, session: { type: 'string' }, continue: { type: 'boolean' } } })
    const mode = approvalModes.find((each) => each === values.mode) ?? null
    if (values.mode !== undefined && mode === null) return { kind: 'usage', why: `--mode takes one of: ${approvalModes.join(', ')}.` }
    const { session } = values
    if (session !== undefined && values.continue === true) return { kind: 'usage', why: '--session and --continue each name a session: take one of them.' }
    if (session !== undefined && !z.uuid().safeParse(session).success) return { kind: 'usage', why: '--session takes the whole id of a session, as "overturn sessions --json" shows it.' }
    const resume: Resume = session !== undefined ? { kind: 'session', sessionId: session } : values.continue === true ? { kind: 'newest' } : null
    return { kind: 'options', workspace: resolve(folder, values.workspace ?? '.'), mode, resume }
  } catch (thrown) {
    return { kind: 'usage', why: thrown instanceof Error ? thrown.message : 'The options could not be read.' }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Errors: HOST_NOT_RUNNING when none could be started in time; what `connectDesk` throws or is refused with. */
async function reachDesk(hello: DeskHello, { dataFolder, startHost, startTimeMs = usualStartTimeMs }: McpWorld): Promise<HostSide> {
  let failure: string | null = null
  let host: StartedHost | null = null
  for (let endsAt = Date.now() + startTimeMs; ; ) {
    const reach = await connectDesk(dataFolder, hello)
    if (reach.kind === 'open') return new HostSide(reach.stream)
    // One that dies while it is greeted has said nothing: the next one is looked for.
    if (reach.kind === 'refused' && reach.error.code !== 'CONNECTION_LOST') throw reach.error
    if (reach.kind === 'refused' && Date.now() >= endsAt) throw reach.error
    if (!host && reach.kind === 'none') {
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
