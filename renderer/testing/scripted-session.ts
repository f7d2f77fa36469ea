import type { SessionList } from '../../shared/contract.js'
import type { ChangeCause } from '../../shared/file-state.js'
import { promptId, sessionKey, workspacePath } from '../../shared/ids.js'
import type { SessionSummary, ToolCall, TranscriptEntry } from '../../shared/session.js'
import type { MapCell, Outline, OutlineRow, SessionHeader, SessionMap, Tick, TurnDetails } from '../../shared/timeline.js'

// The session of the pictures: "Cart, discounts and receipts", nine turns on 30 November.

const day = (month: number, date: number, hours = 12, minutes = 0): number => new Date(2026, month - 1, date, hours, minutes).getTime()
const edit = (removed: number, added: number, cause: ChangeCause = 'edit'): Tick => ({ kind: 'change', cause, removed, added, label: `edit, +${added} −${removed}` })
const ran: Tick = { kind: 'command', label: 'command: npm test' }
const refused: Tick = { kind: 'refused', label: 'refused: scripts/seed.ts' }
const unknown: Tick = { kind: 'unknown', label: 'data/prices.csv changed by a command' }
const subagent: Tick = { kind: 'subagent', label: 'subagent: reviewer' }

interface ScriptedTurn {
  readonly prompt: string
  readonly at: readonly [number, number]
  readonly files: number
  readonly lines: readonly [number, number]
  readonly ticks: readonly Tick[]
}

const turns: readonly ScriptedTurn[] = [
  { prompt: 'Add a cart with line items and a total', at: [9, 12], files: 3, lines: [163, 3], ticks: [edit(0, 64), edit(0, 58), edit(3, 41), ran] },
  { prompt: 'Prices are floats. Use integer cents everywhere, also in the fixtures', at: [9, 24], files: 4, lines: [74, 61], ticks: [edit(14, 18), refused, edit(19, 22), edit(9, 9), edit(19, 25)] },
  { prompt: 'Write tests for total() and its rounding', at: [9, 41], files: 2, lines: [127, 2], ticks: [edit(0, 96), ran, edit(2, 31), ran] },
  { prompt: 'Add percentage discounts and vouchers, with a limit for each customer', at: [9, 58], files: 5, lines: [118, 22], ticks: [edit(0, 52), subagent, edit(11, 38), edit(11, 28), ran] },
  { prompt: 'Apply discounts before tax, keep the line totals as they are', at: [10, 33], files: 3, lines: [41, 17], ticks: [edit(12, 29), edit(5, 8), ran, edit(0, 4)] },
  { prompt: 'Print receipts on the thermal printer, with our logo on top', at: [10, 52], files: 5, lines: [92, 3], ticks: [edit(0, 74), ran, edit(2, 12, 'command'), edit(1, 6), ran] },
  { prompt: 'Replace the old currency helper everywhere and load the new price list', at: [11, 20], files: 8, lines: [75, 61], ticks: [edit(0, 46), edit(12, 14), refused, edit(4, 5), edit(3, 3), ran, edit(38, 0, 'command'), unknown] },
  { prompt: 'The checkout test fails on CI. Why?', at: [11, 47], files: 0, lines: [0, 0], ticks: [ran, ran, ran, ran] },
  { prompt: 'Order dates use the server’s time zone. Use the shop’s', at: [12, 5], files: 3, lines: [29, 11], ticks: [edit(6, 17), edit(5, 12), ran] },
]

const asideTurns = [
  { promptId: promptId('a5'), prompt: 'Apply discounts after tax', startedAt: day(11, 30, 10, 12) },
  { promptId: promptId('a6'), prompt: 'No, show both totals', startedAt: day(11, 30, 10, 20) },
]

export const cartKey = sessionKey('0'.repeat(16))

function turnRow(turn: ScriptedTurn, at: number): OutlineRow {
  return { kind: 'turn', promptId: promptId(`p${at + 1}`), index: at + 1, prompt: turn.prompt, startedAt: day(11, 30, ...turn.at), hasSnapshot: true, isTakenBack: false }
}

export const cartOutline: Outline = {
  revision: 1,
  rows: [
    ...turns.slice(0, 4).map(turnRow),
    { kind: 'set-aside', id: 'aside-1', turns: asideTurns },
    { kind: 'agent-rewind', id: 'rewind-1', at: day(11, 30, 10, 31), label: 'Rewind to the end of turn 4' },
    ...turns.slice(4).map((turn, at) => turnRow(turn, at + 4)),
    { kind: 'end' },
  ],
  playhead: 12,
  takenBack: [],
}

/** What the scripted turns did not look at. */
const limits: Readonly<Record<number, readonly string[]>> = {
  6: ['data/dump.sql is larger than 20 MB: it was seen to change, but its content was not kept.', 'Below node_modules nothing was looked at.'],
  7: ['The command ran before the folder was watched: what it changed is found later.'],
}

const usage = (total: number) => ({ input: total - Math.round(total / 9), cached: Math.round(total / 2), output: Math.round(total / 9), total, cost: null })

const count = (ticks: readonly Tick[], kind: Tick['kind']): number => ticks.filter((tick) => tick.kind === kind).length

export const cartDetails: readonly TurnDetails[] = [
  ...turns.map((turn, at): TurnDetails => ({
    promptId: promptId(`p${at + 1}`),
    files: turn.files,
    stat: { insertions: turn.lines[0], deletions: turn.lines[1] },
    usage: usage(turn.lines[0] * 180),
    commands: count(turn.ticks, 'command'),
    refused: count(turn.ticks, 'refused'),
    failed: 0,
    subagents: count(turn.ticks, 'subagent'),
    unknown: count(turn.ticks, 'unknown'),
    ticks: turn.ticks,
    limits: limits[at] ?? [],
    byUser: null,
    byUserInside: null,
  })),
  ...asideTurns.map(({ promptId }, at): TurnDetails => ({
    promptId, files: 2, stat: { insertions: 40 - at * 19, deletions: 7 - at * 2 }, usage: null, commands: 0, refused: 0, failed: 0, subagents: 0, unknown: 0, ticks: [edit(3, 20)], limits: [], byUser: null, byUserInside: null,
  })),
]

function summary(key: string, title: string, folder: string, part: Partial<SessionSummary>): SessionSummary {
  return {
    key: sessionKey(key.repeat(16)), id: `${key}-1`, agent: 'qwen-code', title, recordedFolder: `/home/me/${folder}`, workspace: `/home/me/${folder}`, branch: 'main', model: 'qwen3-coder',
    file: `/home/me/.qwen/${key}.jsonl`, sizeBytes: 180_000, startedAt: null, lastActiveAt: null, turns: null, stat: null, files: null, usage: null, end: null, problems: 0, isLive: false, isSample: false, client: null, ...part,
  }
}

const lines = (insertions: number, deletions: number) => ({ insertions, deletions })

export const scriptedLibrary: SessionList = {
  sessions: [
    summary('0', 'Cart, discounts and receipts', 'shop', { lastActiveAt: day(11, 30, 12, 5), turns: 9, stat: lines(724, 181), usage: usage(184_210) }),
    summary('1', 'Checkout tax by country', 'shop', { agent: 'overturn', client: 'claude-code', lastActiveAt: day(11, 30, 12, 4), turns: 4, stat: lines(96, 31), isLive: true }),
    summary('2', 'Move tests to the node runner', 'shop', { lastActiveAt: day(11, 29), turns: 6, stat: lines(212, 240), usage: usage(48_700), end: { at: day(11, 29), how: 'ended' } }),
    summary('3', 'Upgrade TypeScript to 5.9', 'shop', { lastActiveAt: day(11, 27), turns: 3, stat: lines(58, 44), problems: 2 }),
    summary('4', 'Search as you type', 'storefront', { branch: 'wt/search', lastActiveAt: day(11, 26), turns: 12, stat: lines(941, 122) }),
    summary('5', 'Fix flaky image tests', 'storefront', { branch: 'wt/search', agent: 'overturn', client: 'gemini-cli-mcp-client', lastActiveAt: day(11, 25), turns: 5, stat: lines(37, 64) }),
    summary('6', 'Dark theme', 'storefront', { branch: 'wt/search', lastActiveAt: day(11, 24), turns: 21, stat: lines(1310, 402) }),
    summary('7', 'Rotate the backup keys', 'infra', { workspace: null, lastActiveAt: day(11, 19), turns: 7, stat: lines(88, 15) }),
  ],
  stores: [
    { agent: 'qwen-code', folder: '/home/me/.qwen/projects', sessions: 6, problem: null },
    { agent: 'overturn', folder: '/home/me/.local/share/overturn', sessions: 2, problem: null },
  ],
  isScanning: false,
}

const manyAgents = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'qwen-code', 'overturn'] as const

/** The scripted sessions and many more, of every agent, over two years. */
export function longLibrary(count: number): SessionList {
  const more = Array.from({ length: Math.max(0, count - scriptedLibrary.sessions.length) }, (_, at): SessionSummary => {
    const agent = manyAgents[(at * 7) % manyAgents.length] ?? 'codex'
    const known = scriptedLibrary.sessions[at % scriptedLibrary.sessions.length]
    return {
      ...summary('9', `${known?.title ?? 'Session'} ${at + 1}`, `project-${(at * 13) % 60}`, {
        agent, client: agent === 'overturn' ? 'codex-mcp-client' : null, turns: (at % 40) + 1, stat: lines((at * 31) % 900, (at * 17) % 400), lastActiveAt: day(11, 18) - at * 11_000_000, problems: at % 29 === 0 ? 2 : 0,
      }),
      key: sessionKey((at + 16).toString(16).padStart(16, '0')),
    }
  })
  const stores = manyAgents.map((agent) => ({ agent, folder: `/home/me/.${agent}`, sessions: Math.floor(count / 6), problem: agent === 'opencode' ? 'Its database could not be opened.' : null }))
  return { sessions: [...scriptedLibrary.sessions, ...more], stores, isScanning: false }
}

export const cartHeader: SessionHeader = {
  summary: summary('0', 'Cart, discounts and receipts', 'shop', { lastActiveAt: day(11, 30, 12, 5), turns: 9, stat: lines(724, 181), usage: usage(184_210), problems: 2 }),
  turns: 9,
  setAside: 2,
  problems: [
    { kind: 'unknown-record', count: 1, detail: 'A record of a kind that is not known. Turns and files are complete.', lines: [214] },
    { kind: 'torn-line', count: 1, detail: 'A line that was cut off while it was written. The record after it is complete.', lines: [388] },
  ],
  base: null,
  loading: null,
  newestPrompts: [],
  canRewind: { kind: 'yes' },
  undo: null,
  redo: null,
  byUser: { files: 2, stat: lines(5, 1) },
  recovered: null,
}

type CellWord = readonly [turn: number, lines: number, kind?: MapCell['kind'], cause?: ChangeCause]

const mapFile = (path: string, insertions: number, deletions: number, ...cells: readonly CellWord[]): SessionMap['files'][number] => ({
  path: workspacePath(path),
  stat: lines(insertions, deletions),
  cells: cells.map(([turn, changed, kind = 'modified', cause = 'edit']) => ({ turn: turn - 1, kind, cause: turn === 0 ? 'user' : cause, stat: changed === 0 ? null : lines(Math.ceil(changed * 0.6), Math.floor(changed * 0.4)) })),
})

export const cartMap: SessionMap = {
  turns: turns.map((turn, at) => ({ promptId: promptId(`p${at + 1}`), index: at + 1, prompt: turn.prompt, files: turn.files, stat: lines(turn.lines[0], turn.lines[1]) })),
  files: [
    mapFile('assets/logo.png', 0, 0, [6, 0, 'binary']),
    mapFile('assets/logo@2x.png', 0, 0, [7, 0, 'binary', 'command']),
    mapFile('config/printer.ini', 13, 5, [6, 7], [7, 11]),
    mapFile('data/prices.csv', 0, 0, [7, 0, 'unknown', 'unknown']),
    mapFile('package-lock.json', 12, 2, [6, 14, 'modified', 'command']),
    mapFile('src/cart/cart.ts', 86, 19, [1, 64, 'added'], [2, 41]),
    mapFile('src/cart/total.ts', 157, 53, [1, 58, 'added'], [2, 32], [4, 49], [5, 41], [7, 26], [0, 4]),
    mapFile('src/cart/types.ts', 41, 3, [1, 44]),
    mapFile('src/checkout/summary.ts', 13, 7, [4, 14], [7, 6, 'modified', 'sed']),
    mapFile('src/discount/limit.ts', 18, 0, [4, 18, 'added']),
    mapFile('src/discount/voucher.ts', 60, 5, [4, 52, 'added'], [5, 13]),
    mapFile('src/lib/currency.ts', 9, 47, [2, 18], [7, 38, 'deleted', 'command']),
    mapFile('src/money.ts', 46, 0, [7, 46, 'added']),
    mapFile('src/orders/date.ts', 18, 7, [9, 23], [0, 2]),
    mapFile('src/orders/list.ts', 7, 2, [9, 9]),
    mapFile('src/receipt/render.ts', 79, 4, [6, 74, 'added'], [7, 9, 'modified', 'sed']),
    mapFile('test/cart/total.test.ts', 96, 0, [3, 96, 'added']),
    mapFile('test/discount.test.ts', 11, 0, [4, 7, 'added'], [5, 4]),
    mapFile('test/fixtures/prices.ts', 25, 19, [2, 44]),
    mapFile('test/orders.test.ts', 6, 2, [9, 8]),
    mapFile('test/setup.ts', 31, 2, [3, 33, 'added']),
  ],
}

const at = day(11, 30, 11, 20)

const plainCall: ToolCall = {
  callId: 'c0', name: 'read_file', kind: 'read', status: 'done', startedAt: at, durationMs: 4, args: '{"path":"src/cart/total.ts"}', output: 'import { format, toCents } from \'../lib/currency\'\n…',
  isOutputCut: false, edit: null, command: null, seen: null, subagent: null,
}

export const cartTranscript: readonly TranscriptEntry[] = [
  { kind: 'prompt', text: 'Replace the old currency helper everywhere and load the new price list.\n\nThe list is at [prices](https://example.org/prices.csv), keep the **old names**.', at },
  { kind: 'thought', text: 'The helper is used in three files. A `Money` class with integer cents is the smallest thing that works.', at: at + 4_000 },
  { kind: 'reply', text: 'I will replace `lib/currency` by a small `Money` class:\n\n1. add `src/money.ts`\n2. use it in `cart/total.ts`, `checkout/summary.ts` and `receipt/render.ts`\n3. delete the old helper\n\n| file | lines |\n| --- | --- |\n| total.ts | +14 −12 |\n| money.ts | +46 |\n\n```ts\nconst tax = reduced.times(TAX_RATE)\n```\n\n![chart](https://example.org/chart.png)', at: at + 9_000, model: 'qwen3-coder' },
  { kind: 'call', call: plainCall, at: at + 10_000 },
  {
    kind: 'call', at: at + 20_000,
    call: {
      ...plainCall, callId: 'c1', name: 'edit', kind: 'edit', durationMs: 12, args: '{}', output: 'Edited src/cart/total.ts',
      edit: { path: workspacePath('src/cart/total.ts'), change: { kind: 'replace', oldText: '  const tax = Math.round(reduced * TAX_RATE)', newText: '  const tax = reduced.times(TAX_RATE)', all: false }, before: null, after: null, isNewFile: false, diff: null },
    },
  },
  { kind: 'call', at: at + 24_000, call: { ...plainCall, callId: 'c2', name: 'edit', kind: 'edit', status: 'refused', args: '{"path":"scripts/seed.ts","old":"format("}', output: 'The old text occurs 3 times. Add a line of context.' } },
  {
    kind: 'call', at: at + 30_000,
    call: { ...plainCall, callId: 'c3', name: 'run_shell_command', kind: 'command', status: 'failed', durationMs: 2140, args: '{}', output: '> shop@1.4.0 test\n> node --test\n\n✖ total rounds half up\n1 failing', isOutputCut: true, command: { text: 'npm test', exitCode: 1, directory: null } },
  },
  { kind: 'reply', text: 'The old helper is gone and the price list is loaded. One test still fails; it expects floats.', at: at + 36_000, model: 'qwen3-coder' },
]
