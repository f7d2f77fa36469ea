import type { AppState, SessionList } from '../../shared/contract.js'
import { ReviewError } from '../../shared/errors.js'
import { promptId, workspacePath } from '../../shared/ids.js'
import { serve, type Port, type ServedMethod } from '../../shared/rpc.js'
import type { Outline, SessionHeader, TurnDetails } from '../../shared/timeline.js'
import { scriptedApprovals } from './scripted-approvals.js'
import { scriptedChanges, type ScriptedAnswers } from './scripted-changes.js'
import { scriptedSearch } from './scripted-search.js'
import { cartDetails, cartHeader, cartKey, cartMap, cartOutline, cartTranscript, longLibrary, scriptedLibrary } from './scripted-session.js'

const app: AppState = {
  version: '0.1.0',
  abilities: { canPickFolder: false, canPickFile: false, canReveal: false, canNotify: false },
  platform: 'linux',
  openFirst: null,
  history: { sizeBytes: 38_200_000, limitBytes: 2_000_000_000 },
}

/** What the scripted host plays. */
export interface Script {
  /** Whether a session is open from the start. */
  readonly isOpen: boolean
  /** So many made-up turns in place of the nine, for looking at long sessions. */
  readonly turns: number | null
  /** A log whose folder is not here, which cannot be rewound. */
  readonly isReadOnly?: boolean
  /** What agents ask: nothing (left out), what the picture shows, or every kind; a number rewrites a file of so many lines. */
  readonly approvals?: 'picture' | 'all' | number
  /** Whether the rewritten file has a hunk at every tenth line, in place of one. */
  readonly isScattered?: boolean
  /** So many sessions in the list, of all agents. */
  readonly sessions?: number
  /** How long the search takes for each session. */
  readonly searchStepMs?: number
}

function longOutline(turns: number): Outline {
  const first = new Date(2026, 10, 12, 8).getTime()
  const rows = Array.from({ length: turns }, (_, at) => ({
    kind: 'turn' as const,
    promptId: promptId(`t${at + 1}`),
    index: at + 1,
    prompt: `Step ${at + 1}: ${cartMap.turns[at % 9]?.prompt}`,
    startedAt: first + Math.floor((at * 18 * 86_400_000) / turns),
    hasSnapshot: true,
    isTakenBack: false,
  }))
  return { revision: 1, rows: [...rows, { kind: 'end' }], playhead: turns + 1, takenBack: [] }
}

function longDetails(id: string): TurnDetails {
  const kind = cartDetails[Number(id.slice(1)) % 9] ?? cartDetails[0]
  if (!kind) throw new ReviewError('TURN_NOT_FOUND', 'This turn is not in the script.')
  return { ...kind, promptId: promptId(id) }
}

function library({ sessions }: Script): SessionList {
  return sessions === undefined ? scriptedLibrary : longLibrary(sessions)
}

/** Answers for the shell: library, session, transcript, map. */
export function scriptedShell(script: Script): ScriptedAnswers {
  const { turns } = script
  const details = new Map(cartDetails.map((one) => [one.promptId, one] as const))
  const header: SessionHeader = {
    ...cartHeader,
    turns: turns ?? cartHeader.turns,
    ...(script.isReadOnly ? { summary: { ...cartHeader.summary, workspace: null }, canRewind: { kind: 'no', reason: 'The folder of this session is not here. Attach it to rewind.' }, byUser: null } : {}),
  }
  return {
    'app.state': async () => ({ ...app, openFirst: script.isOpen ? cartKey : null }),
    'session.list': async () => library(script),
    'session.openSample': async () => cartKey,
    'session.open': async () => header,
    'session.header': async () => header,
    'session.outline': async () => (turns === null ? cartOutline : longOutline(turns)),
    'session.turns': async ({ promptIds }) => promptIds.map((id) => (turns === null ? details.get(id) : longDetails(id))).filter((one) => one !== undefined),
    'session.transcript': async () => cartTranscript,
    'session.toolOutput': async () => '> shop@1.4.0 test\n> node --test\n\n✖ total rounds half up\n  expected 1200, got 12\n\n1 failing, 13 passing',
    'session.map': async () => (turns === null ? cartMap : longMap(turns)),
    'session.rawLines': async ({ lines }) => lines.map((line) => ({ line, raw: '{"type":"telemetry","uuid":"5f2c","payload":{"kind":"ui"}}', isCut: false })),
    'session.find': async ({ text }) => {
      const wanted = text.toLowerCase()
      const files = cartMap.files.filter(({ path }) => path.includes(wanted))
      const found = cartMap.turns.filter(({ prompt }) => prompt.toLowerCase().includes(wanted))
      return [
        ...files.map(({ path, cells }) => ({ kind: 'file' as const, path, turns: cells.length, lastIn: promptId('p7') })),
        ...found.map(({ promptId, index, prompt }) => ({ kind: 'turn' as const, promptId, index, text: prompt })),
      ]
    },
    'session.add': async () => {
      throw new ReviewError('FOLDER_NOT_FOUND', 'There is no such folder or file. Check the path.')
    },
    'session.attach': async () => null,
  }
}

function longMap(turns: number): typeof cartMap {
  const outline = longOutline(turns)
  return {
    turns: outline.rows.flatMap((row) => (row.kind === 'turn' ? [{ promptId: row.promptId, index: row.index, prompt: row.prompt, files: 3, stat: { insertions: 20, deletions: 4 } }] : [])),
    files: Array.from({ length: turns * 2 }, (_, at) => {
      const file = cartMap.files[at % cartMap.files.length] ?? cartMap.files[0]
      if (!file) throw new ReviewError('INTERNAL', 'The script has no file.')
      return { ...file, path: workspacePath(`module-${Math.floor(at / 20)}/${file.path}`), cells: file.cells.map((cell, index) => ({ ...cell, turn: (at * 7 + index * 13) % turns })) }
    }),
  }
}

const senders = new WeakMap<ScriptedAnswers, (event: string, payload: unknown) => void>()

/** A port whose other end is the script, over the real framing. */
export function scriptedPort(answers: ScriptedAnswers): Port {
  const [near, far] = portPair()
  const methods = new Map(
    Object.entries(answers).map(([name, run]): [string, ServedMethod] => [
      name,
      // The script is typed by the contract; what crosses the pair was made by the typed client.
      { kind: 'job', parse: (params) => params, run: (params, context) => (run as (params: unknown, context: unknown) => Promise<unknown>)(params, context) },
    ]),
  )
  const send = serve(far, methods, (method, thrown) => console.error(method, thrown))
  senders.set(answers, send)
  return near
}

/** Everything that the pictures show. */
export function scriptedAnswers(script: Script): ScriptedAnswers {
  const { approvals } = script
  const answers: ScriptedAnswers = {
    ...scriptedShell(script),
    ...scriptedChanges(),
    ...scriptedSearch(library(script).sessions, script.searchStepMs ?? 0),
    ...scriptedApprovals({ hasAgents: approvals !== undefined, extra: approvals === 'all', lines: typeof approvals === 'number' ? approvals : null, isScattered: script.isScattered ?? false }, (event) => senders.get(answers)?.(event, {})),
  }
  return answers
}

function portPair(): readonly [Port, Port] {
  const listeners: [(frame: unknown) => void, (frame: unknown) => void] = [() => undefined, () => undefined]
  const port = (own: 0 | 1): Port => ({
    send: (frame) => queueMicrotask(() => listeners[own === 0 ? 1 : 0](structuredClone(frame))),
    onFrame: (listener) => {
      listeners[own] = listener
    },
    onClose: () => undefined,
  })
  return [port(0), port(1)]
}
