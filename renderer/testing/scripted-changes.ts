import type { Method, Params, Result } from '../../shared/contract.js'
import { ReviewError } from '../../shared/errors.js'
import type { FileChange, FileSide } from '../../shared/file-state.js'
import { operationId, workspacePath } from '../../shared/ids.js'
import type { PlannedFile, Receipt, ReceiptFile, RewindAction, RewindChoices, RewindFileTexts } from '../../shared/rewind.js'
import type { CallContext } from '../../shared/rpc.js'
import { conflictBase, conflictDisk, conflictResult, conflictTarget, currency, money, printerAfter, printerBefore, totalAfter, totalBefore } from './scripted-texts.js'

/** Answers to some of the contract's methods. */
export type ScriptedAnswers = { readonly [M in Method]?: (params: Params<M>, context: CallContext) => Promise<Result<M>> }

const hash = (digit: string): string => digit.repeat(64)
const text = (value: string): FileSide => ({ kind: 'text', text: value, sizeBytes: value.length })
const absent: FileSide = { kind: 'absent' }

interface ScriptedFile {
  readonly change: FileChange
  readonly before: FileSide
  readonly after: FileSide
}

function file(path: string, part: Partial<FileChange>, before: FileSide, after: FileSide): ScriptedFile {
  const change: FileChange = {
    path: workspacePath(path),
    kind: 'modified',
    stat: null,
    cause: 'edit',
    sources: { before: 'backup', after: 'edit' },
    badges: [],
    contentKey: hash('a'),
    review: 'none',
    ...part,
  }
  return { change, before, after }
}

const unknownBefore: FileSide = { kind: 'unknown', reason: 'changed-by-command' }

const turnSeven: readonly ScriptedFile[] = [
  file('src/money.ts', { kind: 'added', stat: { insertions: 46, deletions: 0 }, review: 'reviewed' }, absent, text(money)),
  file('src/cart/total.ts', { stat: { insertions: 14, deletions: 12 } }, text(totalBefore), text(totalAfter)),
  file('src/checkout/summary.ts', { stat: { insertions: 3, deletions: 3 }, cause: 'sed', review: 'reviewed' }, text('format(a)\nformat(b)\nformat(c)\n'), text('formatMoney(a)\nformatMoney(b)\nformatMoney(c)\n')),
  file('src/receipt/render.ts', { stat: { insertions: 5, deletions: 4 }, cause: 'sed', review: 'reviewed' }, text('one\ntwo\nthree\nfour\n'), text('1\n2\n3\n4\n5\n')),
  file('config/printer.ini', {
    stat: { insertions: 7, deletions: 4 },
    badges: [{ kind: 'line-ends', before: 'crlf', after: 'crlf' }, { kind: 'final-newline', before: true, after: false }],
  }, text(printerBefore), text(printerAfter)),
  file('src/lib/currency.ts', { kind: 'deleted', stat: { insertions: 0, deletions: 38 }, cause: 'command', sources: { before: 'backup', after: 'disk' } }, text(currency), absent),
  file('assets/logo@2x.png', {
    kind: 'added', cause: 'command', sources: { before: 'record', after: 'disk' }, badges: [{ kind: 'binary', beforeBytes: null, afterBytes: 18_432 }],
  }, absent, { kind: 'binary', sizeBytes: 18_432, sha256: hash('7') }),
  file('data/prices.csv', {
    kind: 'unknown', cause: 'unknown', sources: { before: 'none', after: 'disk' }, contentKey: null,
    badges: [{ kind: 'unknown', side: 'before', reason: 'changed-by-command' }],
  }, unknownBefore, text('sku,price\nA-1,1200\nA-2,900\n')),
  file('scripts/seed.ts', { kind: 'refused', contentKey: null, badges: [{ kind: 'refused', reason: 'old text occurs 3 times' }] }, absent, absent),
]

const planned = (path: string, action: RewindAction, reason: string, insertions: number, deletions: number, part: Partial<PlannedFile> = {}): PlannedFile => ({
  path: workspacePath(path),
  action,
  reason,
  stat: insertions + deletions > 0 ? { insertions, deletions } : null,
  badges: [],
  conflicts: action === 'conflict' ? 1 : 0,
  disk: { kind: 'absent' },
  target: { kind: 'absent' },
  ...part,
})

const plan: readonly PlannedFile[] = [
  planned('src/cart/total.ts', 'conflict', 'You and turn 4 both changed line 16. Stays as it is until you choose', 61, 76),
  planned('data/prices.csv', 'cannot', 'A shell command changed it in turn 7 before we had a copy', 0, 0, { badges: [{ kind: 'unknown', side: 'both', reason: 'changed-by-command' }] }),
  planned('src/orders/date.ts', 'merge', 'Back to turn 4, your 2 lines stay', 6, 17),
  planned('src/lib/currency.ts', 'recreate', 'Deleted in turn 7, comes back as it was', 38, 0),
  planned('config/printer.ini', 'restore', 'Back to turn 4, line ends stay CRLF', 5, 13, { badges: [{ kind: 'line-ends', before: 'crlf', after: 'crlf' }] }),
  planned('package-lock.json', 'restore', 'Back to turn 4', 2, 12),
  planned('src/checkout/summary.ts', 'restore', 'Back to turn 4', 7, 13),
  planned('src/orders/list.ts', 'restore', 'Back to turn 4', 2, 7),
  planned('test/orders.test.ts', 'restore', 'Back to turn 4', 2, 6),
  planned('assets/logo.png', 'delete', 'Created in turn 6', 0, 0, { badges: [{ kind: 'binary', beforeBytes: 9_100, afterBytes: null }] }),
  planned('assets/logo@2x.png', 'delete', 'Created in turn 7', 0, 0, { badges: [{ kind: 'binary', beforeBytes: 18_432, afterBytes: null }] }),
  planned('src/discount/limit.ts', 'delete', 'Created in turn 4', 0, 18),
  planned('src/discount/voucher.ts', 'delete', 'Created in turn 4', 0, 55),
  planned('src/money.ts', 'delete', 'Created in turn 7', 0, 46),
  planned('src/receipt/render.ts', 'delete', 'Created in turn 6', 0, 75),
  planned('test/discount.test.ts', 'delete', 'Created in turn 4', 0, 11),
]

function planWith({ paths, resolutions }: RewindChoices): readonly PlannedFile[] {
  return plan
    .filter(({ path }) => paths === null || paths.includes(path))
    .map((entry) => {
      const resolution = resolutions[entry.path]
      if (entry.action !== 'conflict' || !resolution || resolution.kind === 'merge') return entry
      if (resolution.kind === 'keep') return { ...entry, action: 'unchanged' as const, reason: 'Stays as the disk has it' }
      return { ...entry, action: 'merge' as const, reason: resolution.kind === 'old' ? 'Back to turn 4' : 'Your own text' }
    })
}

const conflictTexts: RewindFileTexts = {
  path: workspacePath('src/cart/total.ts'),
  target: text(conflictTarget),
  base: text(conflictBase),
  disk: text(conflictDisk),
  result: text(conflictResult),
  conflicts: [{
    targetLine: 16,
    baseLine: lineOf(conflictBase, 'const tax'),
    diskLine: lineOf(conflictDisk, 'const tax'),
    resultLine: 16,
    targetText: '  const tax = Math.round(net * TAX_RATE)\n',
    baseText: '  const tax = reduced.times(TAX_RATE)\n',
    diskText: '  const tax = reduced.times(rate(land))\n',
  }],
}

function lineOf(whole: string, part: string): number {
  return whole.split('\n').findIndex((line) => line.includes(part)) + 1
}

function textsOf(path: string): RewindFileTexts {
  const entry = plan.find((candidate) => candidate.path === path)
  if (entry?.action === 'conflict') return conflictTexts
  const old = text('one\ntwo\nthree\n')
  const now = text('one\n2\nthree\nfour\n')
  const binary: FileSide = { kind: 'binary', sizeBytes: 9_100, sha256: hash('9') }
  const isBinary = path.endsWith('.png')
  if (entry?.action === 'delete') return { ...conflictTexts, path: entry.path, target: absent, base: isBinary ? binary : now, disk: isBinary ? binary : now, result: absent, conflicts: [] }
  if (entry?.action === 'recreate') return { ...conflictTexts, path: entry.path, target: text(currency), base: absent, disk: absent, result: text(currency), conflicts: [] }
  if (entry?.action === 'cannot') return { ...conflictTexts, path: entry.path, target: unknownBefore, base: text('sku\n'), disk: text('sku\n'), result: null, conflicts: [] }
  return { ...conflictTexts, path: workspacePath(path), target: old, base: now, disk: now, result: old, conflicts: [] }
}

const resultNames = { restore: 'restored', delete: 'deleted', recreate: 'recreated', merge: 'merged', conflict: 'left', cannot: 'left', unchanged: 'unchanged' } as const

function receiptOf(files: readonly PlannedFile[], action: Receipt['action'], label: string): Receipt {
  const done = files.map((entry, at): ReceiptFile => ({
    path: entry.path,
    action: entry.action,
    result: resultNames[entry.action],
    reason: entry.action === 'conflict' ? 'Conflict not chosen. Your text is untouched' : entry.action === 'delete' ? 'Kept in history' : entry.reason,
    error: null,
    sha256: entry.action === 'delete' ? null : `${(at + 10).toString(16)}c41e07a`.padEnd(64, '0'),
  }))
  return { operationId: operationId('op-1'), action, label, startedAt: new Date(2026, 10, 30, 12, 38, 4).getTime(), durationMs: 41, files: done, snapshot: { files: files.length, sizeBytes: 171_000 } }
}

/** What the pictures of the changes pane and of the rewind show, with everything that can be done in them. */
export function scriptedChanges(): ScriptedAnswers {
  const reviews = new Map(turnSeven.map(({ change }) => [change.path, change.review]))
  const find = (path: string): ScriptedFile => {
    const found = turnSeven.find(({ change }) => change.path === path)
    if (!found) throw new ReviewError('FILE_NOT_FOUND', `There is no ${path} here.`)
    return found
  }
  const changeNow = ({ change }: ScriptedFile): FileChange => ({ ...change, review: reviews.get(change.path) ?? 'none' })
  return {
    'change.list': async ({ scope }) => (scope.kind === 'since-reviewed' || (scope.kind === 'turn' && scope.promptId === 'p8') ? [] : turnSeven.map(changeNow)),
    'change.read': async ({ path }) => ({ change: changeNow(find(path)), before: find(path).before, after: find(path).after, edits: [] }),
    'change.review': async ({ path, isReviewed }) => {
      reviews.set(path, isReviewed ? 'reviewed' : 'none')
      return null
    },
    'rewind.preview': async ({ target, choices }) => ({ target, planHash: hash('b'), files: planWith(choices) }),
    'rewind.file': async ({ path }) => textsOf(path),
    'rewind.apply': async ({ choices }, { progress, signal }) => {
      const files = planWith(choices)
      for (let done = 0; done <= files.length && !signal.aborted; done++) {
        progress({ done, total: files.length, label: `${done} of ${files.length} files written and read back` })
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return receiptOf(files, 'rewind', 'the start of turn 4')
    },
    'rewind.undo': async () => receiptOf(plan, 'undo', 'the rewind to the start of turn 4'),
    'rewind.redo': async () => receiptOf(plan, 'redo', 'the rewind to the start of turn 4'),
    'rewind.receipt': async () => receiptOf(plan, 'rewind', 'the start of turn 4'),
    'takeBack.preview': async ({ promptId, path, hunk }) => {
      const fits = hunk !== 4
      const reason = fits ? 'The lines are still as this change left them.' : 'Turn 9 changed the same lines. They cannot go back without losing that.'
      return { path, promptId, hunk, hunks: 6, planHash: hash('c'), fits, reason, stat: { insertions: 5, deletions: 6 }, before: text(totalAfter), after: text(fits ? totalAfter.replace('Money.zero', 'Money.none') : totalAfter) }
    },
    'takeBack.apply': async ({ path }) => ({ ...receiptOf([planned(path, 'restore', '', 1, 1)], 'take-back', `change 2 of ${path}`) }),
  }
}
