import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectState } from '../../shared/agents.js'
import type { Approval } from '../../shared/approval.js'
import type { Port } from '../../shared/rpc.js'
import { agentToken } from '../agents/agent-token.js'
import { connectRecipes } from '../agents/connect-recipes.js'
import { claimDesk } from '../agents/desk-file.js'
import { openHttpEndpoint, type HttpEndpoint } from '../agents/http-endpoint.js'
import { openLocalSocket } from '../agents/local-socket.js'
import type { Log } from '../base/log.js'
import { createSedRunner } from '../edits/sed-runner.js'
import type { BackupStore } from '../history/backup-store.js'
import { startUpkeep, type UpkeepOptions } from '../history/upkeep.js'
import { openPolicyFile } from '../policy/policy-file.js'
import { createDeskHandlers } from './desk-handlers.js'
import type { HeldDesk } from './desk-link.js'
import { createDesk } from './desk.js'
import { recoverCutOff } from './recover-cut-off.js'
import { soon } from './soon.js'

export interface HoldDeskOptions {
  readonly dataFolder: string
  readonly programFolder: string
  readonly store: BackupStore
  readonly log: Log
  readonly version: string
  readonly home: string
  readonly environment: NodeJS.ProcessEnv
  /** Program and first words that run our command line, for those who configure an agent. */
  readonly commandLine: readonly string[]
  readonly emit: (event: 'approvals.changed' | 'agents.changed' | 'policy.changed') => void
  readonly onAsked: (approval: Approval) => void
  /** Serves the app's methods on one connection. */
  readonly serveFrames: (send: Port['send']) => { readonly receive: (frame: unknown) => void; readonly close: () => void }
  /** How many agents and windows of other processes are connected; for a host that ends when nobody is. */
  readonly onConnections?: (count: number) => void
  /** The folder that agents are connected for, where none is named. */
  readonly workspace: string | null
  /** How much the backup store may hold, and for how long. */
  readonly historyLimits: UpkeepOptions['limits']
}

/** The store is kept small only while no agent has called for so long. */
const quietMs = 60_000

const tellMs = 40

/** Opens the desk in this process with its socket and its loopback endpoint; `null` while another process holds it. */
export async function holdDesk(options: HoldDeskOptions): Promise<HeldDesk | null> {
  const { dataFolder, programFolder, store, log, version, emit } = options
  const claim = claimDesk(dataFolder)
  if (!claim) return null
  try {
    await recoverCutOff({ dataFolder, store, log, version })
    const policy = await openPolicyFile(dataFolder, log)
    const sed = createSedRunner(join(programFolder, 'sed-worker.cjs'))
    const approvals = soon(tellMs, () => emit('approvals.changed'))
    const agents = soon(tellMs, () => emit('agents.changed'))
    const desk = createDesk({ ...options, policy, sed, onApprovals: approvals.tell, onAgents: agents.tell, onPolicy: () => emit('policy.changed') })
    let connections = 0
    const counted = (by: number): void => options.onConnections?.((connections += by))
    const agentDesk = countedDesk(desk, counted)
    const token = await agentToken(dataFolder)
    let problem: string | null = null
    const http = await openHttpEndpoint({ desk: agentDesk, port: null, token, version, log }).catch((thrown: unknown): HttpEndpoint | null => {
      log.error('http.not-open', thrown)
      problem = 'No port for agents over HTTP could be opened. Use the local command.'
      return null
    })
    const connectState = async (workspace: string | null): Promise<ConnectState> => {
      const folder = realFolder(workspace ?? options.workspace ?? process.cwd())
      const httpUrl = http?.urlFor(folder, null) ?? null
      // Agents start what they are told with few variables of their own environment.
      const isElsewhere = options.environment['OVERTURN_DATA_DIR'] !== undefined || options.environment['XDG_DATA_HOME'] !== undefined
      const command = isElsewhere ? [...options.commandLine, '--data', dataFolder] : options.commandLine
      return { workspace: folder, httpUrl, problem, recipes: connectRecipes({ workspace: folder, command, httpUrl: httpUrl ?? '', token }) }
    }
    const socket = await openLocalSocket({
      claim,
      version,
      httpPort: http?.port ?? null,
      desk: agentDesk,
      serveFrames: (send) => {
        counted(1)
        const served = options.serveFrames(send)
        return { receive: served.receive, close: () => (counted(-1), served.close()) }
      },
      log,
    })
    const isIdle = (): boolean => desk.list().every(({ lastCallAt, waiting }) => waiting === 0 && (lastCallAt === null || Date.now() - lastCallAt > quietMs))
    const upkeep = startUpkeep({ dataFolder, store, limits: options.historyLimits, log, isIdle })
    return {
      handlers: createDeskHandlers({ desk, policy, connectState, onPolicyChanged: () => emit('policy.changed') }),
      close: async () => {
        approvals.end()
        agents.end()
        await Promise.all([upkeep.stop(), desk.close()])
        await Promise.all([socket.close(), http?.close(), sed.close()])
        claim.release()
      },
    }
  } catch (thrown) {
    claim.release()
    throw thrown
  }
}

/** As running sessions name it, so that a window can tell which are its own. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** The desk, with its agents counted. */
function countedDesk<D extends Pick<ReturnType<typeof createDesk>, 'connect'>>(desk: D, counted: (by: number) => void): Pick<D, 'connect'> {
  return {
    connect: async (hello) => {
      const connection = await desk.connect(hello)
      counted(1)
      let isOpen = true
      return {
        ...connection,
        close: () => {
          if (isOpen) counted(-1)
          isOpen = false
          connection.close()
        },
      }
    },
  }
}
