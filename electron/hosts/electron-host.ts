import { join } from 'node:path'
import {
  app as electronApp,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  Notification,
  protocol,
  screen,
  session,
  shell,
  type IpcMainEvent,
  type MenuItemConstructorOptions,
} from 'electron'
import { ReviewError, toWireError } from '../../shared/errors.js'
import { connectChannel, frameChannel } from './channels.js'
import { openConnection, type Host, type ServedApp } from './host.js'
import { readRendererFile } from './renderer-files.js'
import { loadWindowState, placeWindow, saveWindowState, type WindowState } from './window-state.js'

export interface ElectronHostOptions {
  /** Our data folder; the browser profile and the window's place are kept in it. */
  readonly dataFolder: string
  /** The built renderer. */
  readonly rendererFolder: string
  readonly preloadFile: string
}

export interface ElectronHost extends Host {
  /** Opens the window on `app`. When it is closed, `dispose` is awaited and the program ends. */
  open(app: ServedApp, dispose: () => Promise<void>): Promise<void>
}

const scheme = 'app'
const page = `${scheme}://overturn/`

/**
 * The window host. Call it before Electron is ready, once: the scheme of our page is fixed then.
 *
 * The page gets a sandboxed preload, no Node, no other address than its own, no new windows and no permissions.
 */
export function createElectronHost({ dataFolder, rendererFolder, preloadFile }: ElectronHostOptions): ElectronHost {
  electronApp.setPath('userData', join(dataFolder, 'window'))
  protocol.registerSchemesAsPrivileged([{ scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } }])

  const pick = (properties: readonly ('openDirectory' | 'openFile' | 'showHiddenFiles')[]) => async (): Promise<string | null> => {
    const { filePaths } = await dialog.showOpenDialog({ properties: [...properties] })
    return filePaths[0] ?? null
  }
  let shown: BrowserWindow | null = null
  return {
    // Agents keep their logs in folders with a dot.
    pickFolder: pick(['openDirectory', 'showHiddenFiles']),
    pickFile: pick(['openFile', 'showHiddenFiles']),
    reveal: (path) => shell.showItemInFolder(path),
    notify: (title, text) => {
      const window = shown
      if (!window || window.isDestroyed() || window.isFocused() || !Notification.isSupported()) return
      const notification = new Notification({ title, body: text })
      notification.on('click', () => {
        if (window.isDestroyed()) return
        if (window.isMinimized()) window.restore()
        window.focus()
      })
      notification.show()
    },
    open: async (app, dispose) => {
      await electronApp.whenReady()
      serveRenderer(rendererFolder)
      denyPermissions()
      Menu.setApplicationMenu(Menu.buildFromTemplate(menu()))
      const stateFile = join(dataFolder, 'window.json')
      const window = openWindow(preloadFile, await loadWindowState(stateFile))
      shown = window
      carryFrames(window, app)
      let saved: Promise<void> = Promise.resolve()
      window.on('close', () => {
        saved = saveWindowState(stateFile, { ...window.getNormalBounds(), isMaximized: window.isMaximized() })
      })
      electronApp.on('window-all-closed', () => electronApp.quit())
      electronApp.on('will-quit', (event) => {
        event.preventDefault()
        void Promise.allSettled([saved, dispose()]).then(() => electronApp.exit(0))
      })
      await window.loadURL(page)
    },
  }
}

function serveRenderer(folder: string): void {
  protocol.handle(scheme, async (request) => {
    const isOurs = request.url.startsWith(page)
    const file = isOurs ? await readRendererFile(folder, new URL(request.url).pathname, '') : null
    return file === null ? new Response(null, { status: 404 }) : new Response(file.bytes, { headers: { ...file.headers } })
  })
}

/** Copying text to the clipboard on a click is all that the page may do beyond a page's own. */
function denyPermissions(): void {
  const isAllowed = (permission: string): boolean => permission === 'clipboard-sanitized-write'
  session.defaultSession.setPermissionRequestHandler((_contents, permission, decide) => decide(isAllowed(permission)))
  session.defaultSession.setPermissionCheckHandler((_contents, permission) => isAllowed(permission))
}

function openWindow(preloadFile: string, saved: WindowState | null): BrowserWindow {
  const place = placeWindow(
    saved,
    screen.getAllDisplays().map((display) => display.workArea),
  )
  const window = new BrowserWindow({
    ...place.bounds,
    title: 'Overturn',
    show: false,
    autoHideMenuBar: true,
    backgroundColor: ground(),
    webPreferences: {
      preload: preloadFile,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      // It would fetch dictionaries from the network.
      spellcheck: false,
    },
  })
  if (place.isMaximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  nativeTheme.on('updated', () => {
    if (!window.isDestroyed()) window.setBackgroundColor(ground())
  })
  const contents = window.webContents
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  const stayOnPage = (event: { readonly url: string; preventDefault(): void }): void => {
    if (event.url !== page) event.preventDefault()
  }
  contents.on('will-navigate', stayOnPage)
  contents.on('will-redirect', stayOnPage)
  contents.on('will-attach-webview', (event) => event.preventDefault())
  return window
}

/** The colour behind the page until it has painted: the ground of the light or the dark theme. */
function ground(): string {
  return nativeTheme.shouldUseDarkColors ? '#17181b' : '#f7f7f8'
}

/** One connection for each document of the window; frames of any other sender are answered with a refusal. */
function carryFrames(window: BrowserWindow, app: ServedApp): void {
  const contents = window.webContents
  let connection: ReturnType<typeof openConnection> | null = null
  const disconnect = (): void => {
    connection?.close()
    connection = null
  }
  ipcMain.on(connectChannel, (event) => {
    if (!isOurPage(event, window)) return
    disconnect()
    connection = openConnection(app, (frame) => {
      if (!contents.isDestroyed()) contents.send(frameChannel, frame)
    })
  })
  ipcMain.on(frameChannel, (event, frame: unknown) => {
    if (isOurPage(event, window)) connection?.receive(frame)
    else refuse(event, frame)
  })
  contents.on('render-process-gone', disconnect)
  window.on('closed', disconnect)
}

function isOurPage(event: IpcMainEvent, window: BrowserWindow): boolean {
  const frame = event.senderFrame
  return !window.isDestroyed() && frame !== null && frame === window.webContents.mainFrame && frame.url.startsWith(page)
}

function refuse(event: IpcMainEvent, frame: unknown): void {
  if (typeof frame !== 'object' || frame === null || !('id' in frame)) return
  const error = toWireError(new ReviewError('NOT_ADMITTED', 'This page may not talk to Overturn. Open its window instead.'))
  event.reply(frameChannel, { type: 'err', id: frame.id, error })
}

function menu(): MenuItemConstructorOptions[] {
  const view: MenuItemConstructorOptions[] = [{ role: 'resetZoom' }, { role: 'zoomIn' }, { role: 'zoomOut' }, { role: 'togglefullscreen' }]
  if (!electronApp.isPackaged) view.push({ type: 'separator' }, { role: 'toggleDevTools' })
  return [
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    { role: 'editMenu' },
    { label: 'View', submenu: view },
    { role: 'windowMenu' },
  ]
}
