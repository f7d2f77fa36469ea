import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { app as electronApp, ipcMain, nativeTheme, recorded, resetElectron, type BrowserWindow } from '../testing/fake-electron.js'
import { tinyApp, type TinyApp } from '../testing/tiny-app.js'
import { connectChannel, frameChannel } from './channels.js'
import { createElectronHost, type ElectronHost } from './electron-host.js'

let folder: string
let app: TinyApp
let host: ElectronHost
let isDisposed: boolean

beforeEach(async () => {
  resetElectron()
  folder = await mkdtemp(join(tmpdir(), 'overturn-electron-host-'))
  await mkdir(join(folder, 'renderer'))
  await writeFile(join(folder, 'renderer', 'index.html'), '<title>Overturn</title>')
  await writeFile(join(folder, 'secret.js'), 'secret')
  app = tinyApp()
  isDisposed = false
  host = createElectronHost({ dataFolder: folder, rendererFolder: join(folder, 'renderer'), preloadFile: '/preload.cjs' })
})

afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function openWindow(): Promise<BrowserWindow> {
  await host.open(app, async () => {
    isDisposed = true
  })
  const window = recorded.windows[0]
  if (window === undefined) throw new Error('no window was opened')
  return window
}

/** What the page's preload would send. */
function sendAs(frame: { readonly url: string } | null, channel: string, message?: unknown): unknown[] {
  const replies: unknown[] = []
  ipcMain.emit(channel, { senderFrame: frame, reply: (_channel: string, reply: unknown) => replies.push(reply) }, message)
  return replies
}

const call = { type: 'call', id: 7, method: 'echo', params: 'hello' }

describe('electron host', () => {
  it('opens one sandboxed page that knows nothing of Node', async () => {
    const window = await openWindow()
    const { webPreferences } = window.preferences
    expect([webPreferences, window.isShown, window.webContents.mainFrame.url]).toEqual([
      {
        preload: '/preload.cjs',
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webviewTag: false,
        spellcheck: false,
      },
      true,
      'app://overturn/',
    ])
  })

  it('keeps the browser profile in the data folder', () => {
    expect(recorded.paths.get('userData')).toBe(join(folder, 'window'))
  })

  it('serves the renderer under a strict policy and nothing beside it', async () => {
    await openWindow()
    const get = async (url: string): Promise<Response | undefined> => recorded.handlers.get('app')?.({ url })
    const page = await get('app://overturn/')
    expect([page?.status, await page?.text(), page?.headers.get('content-security-policy')]).toEqual([
      200,
      '<title>Overturn</title>',
      expect.stringMatching(/^default-src 'none'; script-src 'self';.* connect-src 'self';.* require-trusted-types-for 'script'$/),
    ])
    const others = ['app://overturn/%2e%2e/secret.js', 'app://overturn/..%2fsecret.js', 'app://other/index.html', 'app://overturn/missing.js']
    expect(await Promise.all(others.map(async (url) => (await get(url))?.status))).toEqual([404, 404, 404, 404])
  })

  it('answers the frames of its page', async () => {
    const window = await openWindow()
    const { mainFrame } = window.webContents
    sendAs(mainFrame, connectChannel)
    sendAs(mainFrame, frameChannel, call)
    await once(window.webContents, 'sent')
    app.emit('library.changed', {})
    expect(window.webContents.sentToPage).toEqual([
      { channel: frameChannel, frame: { type: 'ok', id: 7, result: 'hello' } },
      { channel: frameChannel, frame: { type: 'event', event: 'library.changed', payload: {} } },
    ])
  })

  it.each([
    { what: 'another frame of the window', frame: () => ({ url: 'app://overturn/' }) },
    { what: 'a frame that is gone', frame: () => null },
    {
      what: 'its main frame on a foreign address',
      frame: (window: BrowserWindow) => {
        window.webContents.mainFrame.url = 'app://overturn.example/'
        return window.webContents.mainFrame
      },
    },
  ])('answers a call of $what with a refusal', async ({ frame }) => {
    const window = await openWindow()
    sendAs(window.webContents.mainFrame, connectChannel)
    const replies = sendAs(frame(window), frameChannel, call)
    expect([replies, window.webContents.sentToPage]).toEqual([
      [{ type: 'err', id: 7, error: { code: 'NOT_ADMITTED', message: expect.stringContaining('Open its window'), details: {} } }],
      [],
    ])
  })

  it('lets no foreign frame open a connection', async () => {
    await openWindow()
    sendAs({ url: 'app://overturn/' }, connectChannel)
    expect(app.listenerCount()).toBe(0)
  })

  it('aborts the work of a page that is loaded again', async () => {
    const window = await openWindow()
    const { mainFrame } = window.webContents
    sendAs(mainFrame, connectChannel)
    sendAs(mainFrame, frameChannel, { ...call, method: 'wait' })
    sendAs(mainFrame, connectChannel)
    await app.aborted
    expect(app.listenerCount()).toBe(1)
  })

  it('stays on its page and opens no other', async () => {
    const { webContents } = await openWindow()
    const isPrevented = (event: string, url: string): boolean => {
      let prevented = false
      webContents.emit(event, { url, preventDefault: () => (prevented = true) })
      return prevented
    }
    expect([
      isPrevented('will-navigate', 'https://attacker.example/'),
      isPrevented('will-navigate', 'file:///etc/passwd'),
      isPrevented('will-redirect', 'https://attacker.example/'),
      isPrevented('will-attach-webview', ''),
      isPrevented('will-navigate', 'app://overturn/'),
      webContents.openHandler?.(),
    ]).toEqual([true, true, true, true, false, { action: 'deny' }])
  })

  it('grants no permission but to copy text', async () => {
    await openWindow()
    const decide = (permission: string): unknown[] => {
      const decisions: unknown[] = [recorded.permissionCheck?.(null, permission)]
      recorded.permissionRequest?.(null, permission, (isAllowed) => decisions.push(isAllowed))
      return decisions
    }
    expect([decide('media'), decide('clipboard-read'), decide('openExternal'), decide('clipboard-sanitized-write')]).toEqual([
      [false, false],
      [false, false],
      [false, false],
      [true, true],
    ])
  })

  it('follows the theme of the system', async () => {
    const window = await openWindow()
    const light = window.backgroundColor
    nativeTheme.shouldUseDarkColors = true
    nativeTheme.emit('updated')
    expect([light, window.backgroundColor]).toEqual(['#f7f7f8', '#17181b'])
  })

  it('remembers where its window stood, disposes the app, and ends', async () => {
    const window = await openWindow()
    sendAs(window.webContents.mainFrame, connectChannel)
    const ended = once(electronApp, 'exited')
    window.maximized = true
    window.closeByPerson()
    await ended
    expect([isDisposed, recorded.exitCode, app.listenerCount(), JSON.parse(await readFile(join(folder, 'window.json'), 'utf8'))]).toEqual([
      true,
      0,
      0,
      { x: 40, y: 50, width: 1200, height: 800, isMaximized: true },
    ])
  })

  it('asks for files and folders, hidden ones too', async () => {
    recorded.picked = ['/home/ada/.qwen/projects']
    expect([await host.pickFolder?.(), recorded.pickedWith]).toEqual(['/home/ada/.qwen/projects', ['openDirectory', 'showHiddenFiles']])
    recorded.picked = []
    expect([await host.pickFile?.(), recorded.pickedWith]).toEqual([null, ['openFile', 'showHiddenFiles']])
  })

  it('notifies while its window has not the focus, and a click brings that to the front', async () => {
    host.notify?.('Too early', 'There is no window yet.')
    const window = await openWindow()
    window.minimized = true
    host.notify?.('Claude Code wants to run a command', 'npm test')
    recorded.notifications[0]?.emit('click')
    host.notify?.('Seen anyway', 'The window is looked at.')
    expect([recorded.notifications.map(({ words }) => words), window.isMinimized(), window.isFocused()]).toEqual([
      [{ title: 'Claude Code wants to run a command', body: 'npm test' }],
      false,
      true,
    ])
  })
})
