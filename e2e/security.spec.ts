import { createServer } from 'node:http'
import { once } from 'node:events'
import type { Page } from '@playwright/test'
import { expect, startWebHost, test } from './open-app.js'

test.describe('page', () => {
  test('knows nothing of Node', async ({ ui }) => {
    expect(await ui.evaluate(() => [typeof Reflect.get(window, 'process'), typeof Reflect.get(window, 'require')])).toEqual(['undefined', 'undefined'])
  })

  test('runs no text as code', async ({ ui, complaints }) => {
    const attempts = await ui.evaluate(async () => {
      const nameOf = (attempt: () => unknown): string => {
        try {
          attempt()
          return 'done'
        } catch (thrown) {
          return thrown instanceof Error ? thrown.name : String(thrown)
        }
      }
      const script = document.createElement('script')
      // The debugger's own evaluation is above the policy; what a timer calls is not.
      await new Promise((resolve) => setTimeout(resolve))
      return [
        nameOf(() => Reflect.get(window, 'eval')('1')),
        nameOf(() => Reflect.construct(Function, ['return 1'])),
        nameOf(() => (document.createElement('p').innerHTML = '<b>x</b>')),
        nameOf(() => (script.src = '/assets/x.js')),
        nameOf(() => new Worker('data:text/javascript,1')),
      ]
    })
    expect(attempts).toEqual(['EvalError', 'EvalError', 'TypeError', 'TypeError', 'TypeError'])
    complaints.clear()
  })

  test('reaches no other address', async ({ ui, complaints }) => {
    const other = createServer((_request, response) => response.setHeader('Access-Control-Allow-Origin', '*').end('reached')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const outcomes = await ui.evaluate(async (url) => {
      const loads = (element: HTMLImageElement): Promise<string> =>
        new Promise((resolve) => {
          element.onload = () => resolve('loaded')
          element.onerror = () => resolve('blocked')
          element.src = url
          document.body.append(element)
        })
      const fetched = await fetch(url).then(
        () => 'fetched',
        () => 'blocked',
      )
      const image = await loads(document.createElement('img'))
      return { fetched, image, opened: String(window.open(url, '_blank', 'noopener')) }
    }, addressOf(other))
    expect(outcomes).toMatchObject({ fetched: 'blocked', image: 'blocked', opened: 'null' })
    other.close()
    complaints.clear()
  })
})

test.describe('web host', { tag: '@web' }, () => {
  test('admits one browser with the address it prints, and no second one', async ({ world, chromium }) => {
    const host = await startWebHost(world)
    const [first, second] = [await chromium?.newContext(), await chromium?.newContext()]
    const open = async (page: Page | undefined): Promise<[status: number | undefined, path: string | undefined]> => {
      const response = await page?.goto(host.startUrl)
      return [response?.status(), page && new URL(page.url()).pathname + new URL(page.url()).search]
    }
    const firstPage = await first?.newPage()
    expect(await open(firstPage)).toEqual([200, '/'])
    expect((await open(await second?.newPage()))[0]).toBe(403)
    expect(await open(firstPage)).toEqual([200, '/'])
    const cookies = await first?.cookies()
    expect(cookies?.map(({ httpOnly, sameSite, path }) => ({ httpOnly, sameSite, path }))).toEqual([{ httpOnly: true, sameSite: 'Strict', path: '/' }])
    await first?.close()
    await second?.close()
    await host.stop()
  })

  test('refuses a page of another port of this machine, which shares its cookies', async ({ ui, complaints }) => {
    const other = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<title>other</title>')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const host = new URL(ui.url()).host
    const page = await ui.context().newPage()
    await page.goto(addressOf(other))
    const outcome = await page.evaluate(async (address) => {
      const socket = new WebSocket(`ws://${address}/ws`)
      const opened = await new Promise((resolve) => {
        socket.onopen = () => resolve('opened')
        socket.onerror = () => resolve('refused')
      })
      const read = await fetch(`http://${address}/`, { credentials: 'include' }).then(
        () => 'read',
        () => 'refused',
      )
      return [opened, read]
    }, host)
    expect(outcome).toEqual(['refused', 'refused'])
    other.close()
    complaints.clear()
  })
})

function addressOf(server: ReturnType<typeof createServer>): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`
}
