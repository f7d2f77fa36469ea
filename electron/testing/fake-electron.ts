// Stands in for the package `electron` in tests (see vitest.config.ts), with the same names. It keeps what the host
// asked of it, and lets a test play the page and the person. `resetElectron` makes it new.

import { EventEmitter } from 'node:events'

type Handler = (request: { readonly url: string }) => Promise<Response>

/** What the host has set up so far. */
export interface Recorded {
  readonly paths: Map<string, string>
  readonly schemes: unknown[]
  readonly handlers: Map<string, Handler>
  readonly windows: BrowserWindow[]
  readonly exposed: Map<string, unknown>
  /** Frames and other messages that the preload sent to the main process. */
  readonly sentToMain: { readonly channel: string; readonly args: readonly unknown[] }[]
  readonly revealed: string[]
  readonly notifications: Notification[]
  exitCode: number | null
  permissionRequest: ((contents: unknown, permission: string, decide: (isAllowed: boolean) => void) => void) | null
  permissionCheck: ((contents: unknown, permission: string) => boolean) | null
  /** What the next file dialog answers, and the properties it was opened with. */
  picked: readonly string[]
  pickedWith: readonly string[]
}

const nothing = (): Recorded => ({
  paths: new Map(),
  schemes: [],
  handlers: new Map(),
  windows: [],
  exposed: new Map(),
  sentToMain: [],
  revealed: [],
  notifications: [],
  exitCode: null,
  permissionRequest: null,
  permissionCheck: null,
  picked: [],
  pickedWith: [],
})

export let recorded = nothing()

export function resetElectron(): void {
  recorded = nothing()
  for (const emitter of [app, ipcMain, ipcRenderer, nativeTheme]) emitter.removeAllListeners()
  nativeTheme.shouldUseDarkColors = false
}

class FakeApp extends EventEmitter {
  readonly isPackaged = true
  setPath(name: string, path: string): void {
    recorded.paths.set(name, path)
  }
  async whenReady(): Promise<void> {}
  quit(): void {
    this.emit('will-quit', { preventDefault: () => undefined })
  }
  exit(code: number): void {
    recorded.exitCode = code
    this.emit('exited')
  }
}

export interface FakeFrame {
  url: string
}

class FakeContents extends EventEmitter {
  mainFrame: FakeFrame = { url: '' }
  readonly sentToPage: { readonly channel: string; readonly frame: unknown }[] = []
  openHandler: (() => { readonly action: string }) | null = null
  isDestroyed(): boolean {
    return false
  }
  send(channel: string, frame: unknown): void {
    this.sentToPage.push({ channel, frame })
    this.emit('sent')
  }
  setWindowOpenHandler(handler: () => { readonly action: string }): void {
    this.openHandler = handler
  }
}

interface Preferences {
  readonly webPreferences: Readonly<Record<string, unknown>>
  readonly backgroundColor: string
  readonly [name: string]: unknown
}

export class BrowserWindow extends EventEmitter {
  readonly webContents = new FakeContents()
  isShown = false
  isClosed = false
  hasFocus = false
  minimized = false
  backgroundColor: string
  maximized = false

  constructor(readonly preferences: Preferences) {
    super()
    this.backgroundColor = preferences.backgroundColor
    recorded.windows.push(this)
  }
  async loadURL(url: string): Promise<void> {
    this.webContents.mainFrame = { url }
    this.emit('ready-to-show')
  }
  show(): void {
    this.isShown = true
  }
  maximize(): void {
    this.maximized = true
  }
  isMaximized(): boolean {
    return this.maximized
  }
  isDestroyed(): boolean {
    return this.isClosed
  }
  isFocused(): boolean {
    return this.hasFocus
  }
  isMinimized(): boolean {
    return this.minimized
  }
  restore(): void {
    this.minimized = false
  }
  focus(): void {
    this.hasFocus = true
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return { x: 40, y: 50, width: 1200, height: 800 }
  }
  setBackgroundColor(color: string): void {
    this.backgroundColor = color
  }
  /** The person closes the window. */
  closeByPerson(): void {
    this.emit('close')
    this.isClosed = true
    this.emit('closed')
    app.emit('window-all-closed')
  }
}

/** A notification of the system; a test clicks it with `emit('click')`. */
export class Notification extends EventEmitter {
  static isSupported(): boolean {
    return true
  }
  constructor(readonly words: { readonly title: string; readonly body: string }) {
    super()
  }
  show(): void {
    recorded.notifications.push(this)
  }
}

export const app = new FakeApp()
export const ipcMain = new EventEmitter()
export const nativeTheme = Object.assign(new EventEmitter(), { shouldUseDarkColors: false })
export const ipcRenderer = Object.assign(new EventEmitter(), {
  send: (channel: string, ...args: unknown[]): void => void recorded.sentToMain.push({ channel, args }),
})
export const contextBridge = {
  exposeInMainWorld: (name: string, api: unknown): void => void recorded.exposed.set(name, api),
}
export const protocol = {
  registerSchemesAsPrivileged: (schemes: readonly unknown[]): void => void recorded.schemes.push(...schemes),
  handle: (scheme: string, handler: Handler): void => void recorded.handlers.set(scheme, handler),
}
export const session = {
  defaultSession: {
    setPermissionRequestHandler: (handler: Recorded['permissionRequest']): void => void (recorded.permissionRequest = handler),
    setPermissionCheckHandler: (handler: Recorded['permissionCheck']): void => void (recorded.permissionCheck = handler),
  },
}
export const screen = {
  getAllDisplays: (): readonly unknown[] => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
}
export const dialog = {
  showOpenDialog: async ({ properties }: { readonly properties: readonly string[] }): Promise<{ filePaths: readonly string[] }> => {
    recorded.pickedWith = properties
    return { filePaths: recorded.picked }
  },
}
export const shell = { showItemInFolder: (path: string): void => void recorded.revealed.push(path) }
export const Menu = { buildFromTemplate: (template: unknown): unknown => template, setApplicationMenu: (): void => undefined }
