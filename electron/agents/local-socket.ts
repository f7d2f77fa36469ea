import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { approvalModes } from '../../shared/approval.js'
import { ReviewError, toWireError } from '../../shared/errors.js'
import type { Port } from '../../shared/rpc.js'
import { replaceDataFile } from '../base/data-files.js'
import type { Log } from '../base/log.js'
import type { AgentDesk } from './agent-desk.js'
import { socketProtocol } from './desk-client.js'
import { deskFile, socketPath, type DeskClaim, type DeskFacts } from './desk-file.js'
import { framePort } from './frame-lines.js'
import { parseLine, takeFirstLine } from './lines.js'
import { serveAgentOn } from './mcp-endpoint.js'
import { isEqualSecret, newSecret } from '../base/secrets.js'

export interface LocalSocketOptions {
  /** Held by this process until the socket is closed. */
  readonly claim: DeskClaim
  readonly version: string
  /** Where the loopback endpoint listens, for those who read `desk.json`. */
  readonly httpPort: number | null
  readonly desk: AgentDesk
  /** Serves our methods on one connection; `openConnection` of a host. */
  readonly serveFrames: (send: Port['send']) => { readonly receive: (frame: unknown) => void; readonly close: () => void }
  readonly log: Log
}

export interface LocalSocket {
  readonly path: string
  /** Ends every connection and removes `desk.json`. */
  readonly close: () => Promise<void>
}

const sessionId = z.uuid()
const resumeShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('session'), sessionId }),
  z.object({ kind: z.literal('newest') }),
  z.object({ kind: z.literal('lost-connection'), sessionId }),
])
const helloShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('mcp'), workspace: z.string().refine(isAbsolute), mode: z.enum(approvalModes).nullable(), resume: resumeShape.nullable() }),
  z.object({ kind: z.literal('rpc') }),
])
const tokenShape = z.object({ token: z.string(), protocol: z.number() })

const maxHelloBytes = 4_096
const helloTimeMs = 5_000

/**
 * Listens on the local socket of a data folder, and tells in `desk.json` where that is.
 *
 * A connection starts with one line, `{protocol, token, kind}`, answered by one line; then follow MCP messages or frames. A
 * socket that a dead host left behind is replaced: the claim says that no living one has it.
 * Errors: DATA_FOLDER_UNWRITABLE, DISK_FULL, PERMISSION_DENIED (a folder that others own).
 */
export async function openLocalSocket(options: LocalSocketOptions): Promise<LocalSocket> {
  const { claim, version, httpPort, log } = options
  const token = newSecret()
  const path = socketPath(claim.dataFolder, process.platform, process.env)
  const sockets = new Set<Socket>()
  const isPipe = process.platform === 'win32'

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    void greet(socket, token, options).catch((thrown: unknown) => {
      log.error('socket.greet', thrown)
      socket.destroy()
    })
  })
  try {
    if (!isPipe) rmSync(path, { force: true })
    server.listen(path)
    await once(server, 'listening')
    if (!isPipe) chmodSync(path, 0o600)
  } catch (thrown) {
    throw new ReviewError('DATA_FOLDER_UNWRITABLE', 'The local socket of the data folder cannot be opened. Free its place, or choose another folder with OVERTURN_DATA_DIR.', {
      cause: thrown,
    })
  }
  const facts: DeskFacts = { pid: process.pid, socket: path, token, startedAt: Date.now(), version, httpPort }
  const close = async (): Promise<void> => {
    rmSync(deskFile(claim.dataFolder), { force: true })
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  try {
    await replaceDataFile(deskFile(claim.dataFolder), `${JSON.stringify(facts, null, 2)}\n`)
  } catch (thrown) {
    await close()
    throw thrown
  }
  return { path, close }
}

async function greet(socket: Socket, token: string, { version, desk, serveFrames, log }: LocalSocketOptions): Promise<void> {
  const refuse = (error: ReviewError): void => {
    socket.end(`${JSON.stringify({ ok: false, error: toWireError(error) })}\n`, () => socket.destroy())
  }
  let first: string
  try {
    first = await takeFirstLine(socket, maxHelloBytes, helloTimeMs)
  } catch {
    return refuse(new ReviewError('NOT_ADMITTED', 'The first line must say who connects, within 5 seconds.'))
  }
  const value = parseLine(first)
  const admission = tokenShape.safeParse(value)
  if (!admission.success || !isEqualSecret(token, admission.data.token)) {
    return refuse(new ReviewError('NOT_ADMITTED', 'The token is not the one of this desk. Read desk.json in the data folder again.'))
  }
  if (admission.data.protocol !== socketProtocol) {
    return refuse(new ReviewError('NOT_ADMITTED', `The running Overturn is version ${version}, which does not understand this one. Quit it and start one version only.`))
  }
  const hello = helloShape.safeParse(value)
  if (!hello.success) return refuse(new ReviewError('INVALID_PARAMS', 'The first line names no known kind, or no absolute workspace.'))

  socket.write(`${JSON.stringify({ ok: true, version })}\n`)
  switch (hello.data.kind) {
    case 'mcp': {
      const { workspace, mode, resume } = hello.data
      await serveAgentOn(socket, desk, { workspace, mode, resume, transportKind: 'stdio', version }, log)
      return
    }
    case 'rpc': {
      const port = framePort(socket)
      const connection = serveFrames(port.send)
      port.onFrame(connection.receive)
      port.onClose(connection.close)
      return
    }
  }
}
