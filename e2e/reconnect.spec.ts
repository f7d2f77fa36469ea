import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { expect, startWebHost, test, viewport } from './open-app.js'
import { agentIn, saveSession } from './recorded.js'
import { diffPane, fileRow, selectTurn, waitForSession } from './window.js'

/** A tunnel to the host, as over SSH; it can be cut and laid again. */
interface Tunnel {
  readonly port: number
  cut(): Promise<void>
  layAgain(): Promise<void>
}

async function digTunnel(to: () => number): Promise<Tunnel> {
  const open = new Set<Socket>()
  const join = (socket: Socket): void => {
    const host = connect(to(), '127.0.0.1')
    for (const [one, other] of [[socket, host], [host, socket]] as const) {
      open.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => open.delete(one))
    }
  }
  const listen = async (port: number): Promise<Server> => {
    const server = createServer(join).listen(port, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await listen(0)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    cut: async () => {
      for (const socket of open) socket.destroy()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
    layAgain: async () => {
      server = await listen(port)
    },
  }
}

test.describe('a connection that is cut', { tag: '@web' }, () => {
  test('is said, and made again by itself; nothing is lost', async ({ world, chromium, complaints }) => {
    const agent = agentIn(world, { 'a.ts': 'one\n', 'b.ts': 'one\n' })
    agent.prompt('Make it two')
    agent.edit('a.ts', 'one', 'two')
    agent.reply()
    agent.prompt('The other as well')
    agent.edit('b.ts', 'one', 'two')
    agent.reply()
    await saveSession(world, agent)
    const flags = ['--workspace', world.workspace, '--sessions', world.sessions]
    const host = await startWebHost(world, flags)
    const start = new URL(host.startUrl)
    let hostPort = Number(start.port)
    const tunnel = await digTunnel(() => hostPort)
    start.port = String(tunnel.port)
    if (chromium === null) throw new Error('The browser was not started.')
    const page = await chromium.newPage({ viewport })
    page.on('pageerror', (error) => void complaints.add(String(error)))
    await page.goto(start.href)
    await waitForSession(page, 2)
    await selectTurn(page, 1)
    await expect(fileRow(page, 'a.ts')).toBeVisible()

    const banner = page.getByRole('status').filter({ hasText: 'The connection to Overturn was lost.' })
    await tunnel.cut()
    await expect(banner).toBeVisible()
    await expect(diffPane(page)).toBeVisible()
    // A try of one's own comes to nothing while there is no way; the next one goes through by itself.
    await page.getByRole('button', { name: 'Reconnect now' }).click()
    await expect(banner).toBeVisible()
    await tunnel.layAgain()
    await expect(banner).toBeHidden()
    await expect(fileRow(page, 'a.ts')).toBeVisible()
    await selectTurn(page, 2)
    await expect(fileRow(page, 'b.ts')).toBeVisible()

    // A host that was started anew knows nobody: the page says where to go on.
    await host.stop()
    await expect(banner).toBeVisible()
    const next = await startWebHost(world, flags)
    hostPort = Number(new URL(next.startUrl).port)
    await page.getByRole('button', { name: 'Reconnect now' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'To go on, open the address that it printed.' })).toBeVisible()
    await page.goto(next.startUrl)
    await waitForSession(page, 2)
    await page.close()
    await tunnel.cut()
    await next.stop()
  })
})
