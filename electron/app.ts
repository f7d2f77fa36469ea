import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { Events, Handlers } from '../shared/contract.js'
import type { Approval } from '../shared/approval.js'
import type { SessionKey } from '../shared/ids.js'
import { connectDesk } from './agents/desk-client.js'
import { framePort } from './agents/frame-lines.js'
import { createHandlers } from './api/handlers.js'
import { servedMethods } from './api/served-methods.js'
import { dataFolderError } from './base/disk-errors.js'
import { openLog, type Log } from './base/log.js'
import { dataFolderPath, openDataFolder, openSettings } from './base/settings.js'
import { createSedRunner } from './edits/sed-runner.js'
import { createSedOutcomes } from './review/sed-outcomes.js'
import { openConnection, type Host } from './hosts/host.js'
import { openBackupStore } from './history/backup-store.js'
import { openJournal } from './history/journal.js'
import { recoverAll } from './history/session-history.js'
import { askedWords } from './live/asked-words.js'
import { createDeskLink, type DeskLink } from './live/desk-link.js'
import { holdDesk } from './live/hold-desk.js'
import { createTextComparer } from './review/text-comparer.js'
import { createWorkbench, type Workbench } from './review/workbench.js'
import { createSearch, type Search } from './search/search.js'
import { expand } from './sessions/session-places.js'
import { createLibrary, type Library } from './sessions/library.js'
import { openSample } from './sessions/sample.js'
import { openWorkspace } from './workspace/workspace.js'

export interface AppOptions {
  readonly environment: NodeJS.ProcessEnv
  /** The built program's folder: its workers and the sample session lie in it. */
  readonly programFolder: string
  readonly host: Host
  /** Folder for sessions whose own is not here; absolute. */
  readonly workspace: string | null
  /** Whether that folder counts for every session, as it does for a command about one. */
  readonly isWorkspaceForced: boolean
  /** More places to look for logs in; absolute. */
  readonly locations: readonly string[]
  /** Whether new and growing sessions are noticed by themselves. */
  readonly isWatching: boolean
  /** `holds`: agents can connect to this process, unless another one serves them already; `asks`: only to one that does. */
  readonly desk: 'holds' | 'asks'
  /** Program and first words that run our command line. */
  readonly commandLine: readonly string[]
  /** How many agents and windows of other processes are connected to the desk here. */
  readonly onConnections?: (count: number) => void
}

/** All services, and how a host serves them. */
export interface App {
  readonly handlers: Handlers
  readonly methods: ReturnType<typeof servedMethods>
  readonly onEvent: (listener: (event: string, payload: unknown) => void) => () => void
  readonly onError: (method: string, thrown: unknown) => void
  readonly library: Library
  readonly workbench: Workbench
  readonly search: Search
  /** Where agents connect to; nothing of it is opened before `join`, or the first call of one of its methods. */
  readonly desk: DeskLink
  readonly log: Log
  readonly dispose: () => Promise<void>
}

/** Makes each service once, in the order in which they need each other. Errors: DATA_FOLDER_UNWRITABLE. */
export async function createApp(options: AppOptions): Promise<App> {
  const { environment, host, programFolder } = options
  const home = homedir()
  const dataFolder = dataFolderPath(environment, process.platform, home)
  await openDataFolder(dataFolder)
  const log = openLog(dataFolder)
  const settings = await openSettings(dataFolder)
  const store = await openBackupStore(dataFolder)
  const version = await versionOf(programFolder)

  const listeners = new Set<(event: string, payload: unknown) => void>()
  const emit = <E extends keyof Events>(event: E, payload: Events[E]): void => listeners.forEach((listener) => listener(event, payload))

  const sed = createSedRunner(join(programFolder, 'sed-worker.cjs'))
  const library = createLibrary({
    dataFolder,
    environment,
    home,
    log,
    store,
    sedOutcome: createSedOutcomes(sed),
    locations: () => [...options.locations, ...settings.current().locations],
    attachments: () => settings.current().attachments,
    fallbackWorkspace: options.workspace,
    isFallbackForced: options.isWorkspaceForced,
    isWatching: options.isWatching,
    workerFile: join(programFolder, 'log-look-worker.cjs'),
    onChanged: () => emit('library.changed', {}),
  })
  const recovered = recoverAll(dataFolder, store, log)
  const comparer = createTextComparer(join(programFolder, 'diff-worker.cjs'))
  const openRecorded: typeof library.open = async (key, signal) => {
    await recovered
    return library.open(key, signal)
  }
  const workbench = createWorkbench({
    dataFolder,
    store,
    comparer,
    sed,
    log,
    summaryOf: library.summaryOf,
    openRecorded,
    onChanged: (session) => emit('session.changed', { session }),
  })

  const search = createSearch({
    list: async (signal) => {
      await library.whenListed(signal)
      const { sessions } = library.list()
      // Whether one of two with the same id is a copy is known when both were counted.
      if (new Set(sessions.map(({ id }) => id)).size < sessions.length) await library.whenCounted(signal)
      return library.list().sessions
    },
    open: openRecorded,
    journalOf: (session, folder) => openJournal(dataFolder, session, folder, log),
    store,
    sed,
    log,
  })

  const attach = async (session: SessionKey, folder: string | null): Promise<void> => {
    const { id } = library.summaryOf(session)
    const workspace = folder === null ? null : expand(folder, home)
    if (workspace !== null) await openWorkspace(workspace)
    await settings.update((current) => {
      const { [id]: _before, ...others } = current.attachments
      return { ...current, attachments: workspace === null ? others : { ...others, [id]: workspace } }
    })
    workbench.forget(session)
    emit('library.changed', {})
    emit('session.changed', { session })
  }

  const askPerson = (approval: Approval): void => {
    const payload = { approval: approval.id, ...askedWords(approval) }
    emit('approval.asked', payload)
    host.notify?.(payload.title, payload.text)
  }
  const onError = (method: string, thrown: unknown): void => log.error('call.failed', thrown, { method })
  const onEvent: App['onEvent'] = (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const desk = createDeskLink({
    hold: () =>
      holdDesk({
        dataFolder,
        programFolder,
        store,
        log,
        version,
        home,
        environment,
        commandLine: options.commandLine,
        emit: (event) => emit(event, {}),
        onAsked: askPerson,
        serveFrames: (send) => openConnection({ methods, onEvent, onError }, send),
        onConnections: options.onConnections,
        workspace: options.workspace,
        historyLimits: () => {
          const { historyLimitBytes, historyMaxAgeDays } = settings.current()
          return { limitBytes: historyLimitBytes, maxAgeMs: historyMaxAgeDays === null ? null : historyMaxAgeDays * 86_400_000 }
        },
      }),
    reach: () => connectDesk(dataFolder, { kind: 'rpc' }),
    portOf: framePort,
    mayHold: options.desk === 'holds',
    onEvent: (event, payload) => {
      listeners.forEach((listener) => listener(event, payload))
      const asked = askedShape.safeParse(payload)
      if (event === 'approval.asked' && asked.success) host.notify?.(asked.data.title, asked.data.text)
    },
    log,
  })

  const handlers = createHandlers({
    desk: desk.handlers,
    library,
    workbench,
    search,
    host,
    state: async () => ({
      version,
      abilities: { canPickFolder: host.pickFolder !== null, canPickFile: host.pickFile !== null, canReveal: host.reveal !== null, canNotify: host.notify !== null },
      platform: process.platform === 'linux' || process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'other',
      openFirst: await library.firstOf(options.locations),
      history: { sizeBytes: await store.sizeBytes(), limitBytes: settings.current().historyLimitBytes },
    }),
    addLocation: async (location, signal) => {
      const added = await library.add(location, signal)
      await settings.update((current) => ({ ...current, locations: [...new Set([...current.locations, location])] }))
      return added
    },
    removeLocation: async (location) => {
      library.remove(location)
      await settings.update((current) => ({ ...current, locations: current.locations.filter((each) => library.placeOf(each) !== location) }))
    },
    attach,
    openSample: async (signal) => {
      const sample = await openSample(join(programFolder, 'sample'), dataFolder).catch((thrown: unknown) => {
        throw dataFolderError(thrown, 'the sample in it')
      })
      const [key] = await library.add(sample.log, signal)
      if (key === undefined) throw new Error('The sample session is not in the program folder.')
      await attach(key, sample.workspace)
      return key
    },
  })

  const methods = servedMethods(handlers)

  return {
    handlers,
    methods,
    onEvent,
    onError,
    library,
    workbench,
    search,
    desk,
    log,
    dispose: async () => {
      await desk.close()
      search.close()
      workbench.close()
      await library.close()
      await Promise.all([comparer.close(), sed.close()])
    },
  }
}

const askedShape = z.object({ title: z.string(), text: z.string() })

/** The program's own version, from the package that it lies in. */
export async function versionOf(programFolder: string): Promise<string> {
  const text = await readFile(join(programFolder, '..', 'package.json'), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
