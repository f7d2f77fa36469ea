import { join } from 'node:path'
import type { AppState, Handlers } from '../../shared/contract.js'
import { ReviewError, throwIfAborted } from '../../shared/errors.js'
import type { SessionKey } from '../../shared/ids.js'
import type { Receipt } from '../../shared/rewind.js'
import type { CallContext } from '../../shared/rpc.js'
import type { Host } from '../hosts/host.js'
import { historyOf, type Opened, type Workbench } from '../review/workbench.js'
import type { DeskHandlers } from '../live/desk-handlers.js'
import type { Search } from '../search/search.js'
import type { Library } from '../sessions/library.js'
import type { PairWatch } from '../review/scoped-pairs.js'

export interface HandlerParts {
  /** Methods about agents that work through us, answered wherever those connect to. */
  readonly desk: DeskHandlers
  readonly library: Library
  readonly workbench: Workbench
  readonly search: Search
  readonly host: Host
  readonly state: () => Promise<AppState>
  /** Adds a place to look for logs, for this and later starts; the sessions found there. Errors: FOLDER_NOT_FOUND. */
  readonly addLocation: (location: string, signal: AbortSignal) => Promise<readonly SessionKey[]>
  /** Errors: FOLDER_NOT_FOUND. */
  readonly removeLocation: (location: string) => Promise<void>
  /** Attaches a session to a folder, or with `null` takes the attachment away. Errors: FOLDER_NOT_FOUND. */
  readonly attach: (session: SessionKey, workspace: string | null) => Promise<void>
  readonly openSample: (signal: AbortSignal) => Promise<SessionKey>
}

/** Each method of the contract as one call of a service. */
export function createHandlers(parts: HandlerParts): Handlers {
  const { library, workbench, search, host } = parts
  const review = async (session: SessionKey): Promise<Opened['review']> => (await workbench.open(session)).review

  /** Runs one of our own operations and lets the session's answers follow it. */
  const operate = async (session: SessionKey, work: (opened: Opened) => Promise<Receipt>): Promise<Receipt> => {
    const opened = await workbench.open(session)
    try {
      return await work(opened)
    } finally {
      opened.review.operationsChanged()
    }
  }

  return {
    ...parts.desk,
    'app.state': () => parts.state(),
    'app.reveal': async ({ session, path }) => {
      const { workspace } = library.summaryOf(session)
      if (!host.reveal || workspace === null) throw new ReviewError('HOST_CANNOT', 'This window cannot show files in a file manager.')
      host.reveal(join(workspace, path))
      return null
    },

    'session.list': async () => library.list(),
    'session.add': async ({ location }, { signal }) => ({ added: await parts.addLocation(location, signal) }),
    'session.removePlace': async ({ location }) => {
      await parts.removeLocation(location)
      return null
    },
    'session.pick': async ({ what }) => {
      const pick = what === 'log' ? host.pickFile : host.pickFolder
      if (!pick) throw new ReviewError('HOST_CANNOT', 'This window has no file dialog. Type the path instead.')
      return pick()
    },
    'session.attach': async ({ session, workspace }) => {
      await parts.attach(session, workspace)
      return null
    },
    'session.openSample': (_params, { signal }) => parts.openSample(signal),
    'session.open': async ({ session }, { signal, progress }) => {
      const opened = await workbench.open(session)
      throwIfAborted(signal)
      const { loading } = opened.recorded
      if (loading) progress({ ...loading, label: 'Reading the session' })
      return opened.review.header()
    },
    'session.header': async ({ session }) => (await review(session)).header(),
    'session.outline': async ({ session }) => (await review(session)).outline(),
    'session.turns': async ({ session, promptIds }, { signal }) => (await review(session)).turns(promptIds, signal),
    'session.transcript': async ({ session, promptId }, { signal }) => (await review(session)).transcript(promptId, signal),
    'session.toolOutput': async ({ session, promptId, callId }, { signal }) => (await review(session)).toolOutput(promptId, callId, signal),
    'session.map': async ({ session }, context) => (await review(session)).map(watchOf(context, 'Reading turns')),
    'session.find': async ({ session, text, limit }, { signal }) => (await review(session)).find(text, limit, signal),
    'session.rawLines': async ({ session, lines }, { signal }) => (await review(session)).rawLines(lines, signal),

    'search.find': (params, context) => search.find(params, watchOf(context, 'Searching sessions')),
    'search.why': ({ file, line }, context) => search.why(file, line, watchOf(context, 'Searching sessions')),

    'change.list': async ({ session, scope }, context) => (await review(session)).list(scope, watchOf(context, 'Comparing files')),
    'change.read': async ({ session, scope, path, showOversized }, { signal }) => (await review(session)).read(scope, path, showOversized, signal),
    'change.review': async ({ session, scope, path, contentKey, isReviewed }) => {
      await (await review(session)).mark(scope, path, contentKey, isReviewed)
      return null
    },

    'rewind.preview': async ({ session, target, choices }, context) => {
      const opened = await workbench.open(session)
      const asked = await opened.review.rewindTo(target, choices, watchOf(context, 'Reading turns'))
      return historyOf(opened).preview(asked, context)
    },
    'rewind.file': async ({ session, target, path, choices }, { signal }) => {
      const opened = await workbench.open(session)
      const asked = await opened.review.rewindTo(target, { ...choices, paths: [path] }, { signal })
      return historyOf(opened).fileTexts(asked, path, signal)
    },
    'rewind.apply': ({ session, target, choices, planHash }, context) =>
      operate(session, async (opened) => {
        const asked = await opened.review.rewindTo(target, choices, watchOf(context, 'Reading turns'))
        return historyOf(opened).apply(asked, planHash, context)
      }),
    'rewind.undo': ({ session, operationId }, context) => operate(session, (opened) => historyOf(opened).undo(operationId, context)),
    'rewind.redo': ({ session, operationId }, context) => operate(session, (opened) => historyOf(opened).redo(operationId, context)),
    'rewind.receipt': async ({ session, operationId }) => historyOf(await workbench.open(session)).receipt(operationId),
    'takeBack.preview': async ({ session, promptId, path, hunk }, { signal }) => {
      const opened = await workbench.open(session)
      return historyOf(opened).previewTakeBack(await opened.review.takeBackOf(promptId, path, hunk, signal), signal)
    },
    'takeBack.apply': ({ session, promptId, path, hunk, planHash }, context) =>
      operate(session, async (opened) => historyOf(opened).takeBack(await opened.review.takeBackOf(promptId, path, hunk), planHash, context)),
  }
}

function watchOf({ signal, progress }: CallContext, label: string): PairWatch {
  return { signal, onProgress: (done, total) => progress({ done, total, label }) }
}
