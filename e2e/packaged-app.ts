// Drives a packed app. Its fuses shut the door that Playwright uses for Electron, so the page itself is asked, over the
// debugging port of its browser part.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'

export interface PackagedApp {
  /** The value of an expression in the page; a promise is awaited. */
  evaluate(expression: string): Promise<unknown>
  /** Waits until the expression is true in the page. */
  waitFor(expression: string): Promise<void>
  /** Errors that the page reported so far. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

interface Reply {
  readonly id?: number
  readonly method?: string
  readonly result?: { readonly result?: { readonly value?: unknown }; readonly exceptionDetails?: { readonly text: string } }
  readonly params?: { readonly entry?: { readonly level: string; readonly text: string }; readonly exceptionDetails?: { readonly text: string } }
}

const stepMs = 50

/** Starts the executable and connects to its page at `url`. */
export async function startPackagedApp(
  executable: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  url: string,
): Promise<PackagedApp> {
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const child = spawn(executable, ['--remote-debugging-port=0', '--disable-gpu', ...asRoot, ...args], {
    env: { ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  const port = await new Promise<string>((resolve, reject) => {
    const lines = createInterface({ input: child.stderr })
    lines.on('line', (line) => {
      const found = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The packed app ended with ${code} before its page opened.`)))
  })

  const page = await connectToPage(port, url)
  return {
    ...page,
    close: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function connectToPage(port: string, url: string): Promise<Omit<PackagedApp, 'close'>> {
  const socket = new WebSocket(await pageSocketAddress(port, url))
  await once(socket, 'open')
  const complaints: string[] = []
  const waiting = new Map<number, (reply: Reply) => void>()
  let lastId = 0
  socket.on('message', (data) => {
    const reply = JSON.parse(String(data)) as Reply
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply)
    else if (reply.method === 'Log.entryAdded' && reply.params?.entry?.level === 'error') complaints.push(reply.params.entry.text)
    else if (reply.method === 'Runtime.exceptionThrown') complaints.push(reply.params?.exceptionDetails?.text ?? 'exception')
  })
  const ask = (method: string, params: object = {}): Promise<Reply> => {
    const id = ++lastId
    socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  await ask('Log.enable')
  await ask('Runtime.enable')

  const evaluate = async (expression: string): Promise<unknown> => {
    const { result } = await ask('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (result?.exceptionDetails !== undefined) throw new Error(`${expression}: ${result.exceptionDetails.text}`)
    return result?.result?.value
  }
  const waitFor = async (expression: string): Promise<void> => {
    // The page polls, so that one question waits; the test's own time limit ends it.
    await evaluate(`new Promise((done) => { const look = () => (${expression}) ? done(true) : setTimeout(look, ${stepMs}); look() })`)
  }
  return { evaluate, waitFor, complaints }
}

async function pageSocketAddress(port: string, url: string): Promise<string> {
  for (;;) {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { type: string; url: string; webSocketDebuggerUrl: string }[]
    const page = targets.find((target) => target.type === 'page' && target.url === url)
    if (page !== undefined) return page.webSocketDebuggerUrl
    await new Promise((resolve) => setTimeout(resolve, stepMs))
  }
}
