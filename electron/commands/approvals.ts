import { readFileSync } from 'node:fs'
import { takenText, type Approval, type ApprovalFile, type ApprovedFile, type Decision } from '../../shared/approval.js'
import { hunksOf } from '../../shared/changes.js'
import type { ApprovalList } from '../../shared/contract.js'
import { ReviewError, toWireError } from '../../shared/errors.js'
import type { FileSide } from '../../shared/file-state.js'
import { approvalId } from '../../shared/ids.js'
import { formatHunk } from '../../shared/patch.js'
import type { CallContext } from '../../shared/rpc.js'
import { parseStrict } from '../base/strict-args.js'
import type { DeskHandlers } from '../live/desk-handlers.js'
import { UsageError } from './arguments.js'
import { asJson, countOf, plain, signed, visible } from './words.js'
import type { ExitCode } from './world.js'

export const approvalCommands = ['approvals', 'approve', 'reject'] as const
export type ApprovalCommand = (typeof approvalCommands)[number]

/** What the commands about questions work with. */
export interface ApprovalWorld {
  readonly desk: Pick<DeskHandlers, 'approval.list' | 'approval.read' | 'approval.decide'>
  /** Calls back when something about the questions has changed. */
  readonly onChanged: (listener: () => void) => void
  readonly out: (text: string) => void
  readonly note: (text: string) => void
  readonly signal: AbortSignal
}

const options = {
  'json': { type: 'boolean' },
  'wait': { type: 'boolean' },
  'hunks': { type: 'string' },
  'revision': { type: 'string' },
  'path': { type: 'string' },
  'content': { type: 'string' },
  'always': { type: 'boolean' },
  'rest-of-turn': { type: 'boolean' },
  'comment': { type: 'string' },
  'reason': { type: 'string' },
} as const

const allowed: Readonly<Record<ApprovalCommand, readonly string[]>> = {
  approvals: ['json', 'wait'],
  approve: ['json', 'revision', 'hunks', 'path', 'content', 'always', 'rest-of-turn', 'comment'],
  reject: ['json', 'reason'],
}

/** `approvals [<id>]`, `approve <id>`, `reject <id>`. Exit codes as everywhere: 1 where nothing was written or run. */
export async function approvalCommand(name: ApprovalCommand, words: readonly string[], world: ApprovalWorld): Promise<ExitCode> {
  try {
    const { values, positionals } = read(name, words)
    const context: CallContext = { signal: world.signal, progress: () => undefined }
    if (positionals.length > 1) throw new UsageError(`${name} takes one question at a time.`)
    switch (name) {
      case 'approvals':
        return await list(positionals[0] ?? null, values.json === true, values.wait === true, world, context)
      case 'approve':
      case 'reject': {
        const seen = values.revision === undefined ? null : revision(values.revision)
        const approval = await find(positionals[0], world, context)
        if (name === 'approve') checkSeen(approval, seen)
        const decision = name === 'reject' ? { kind: 'reject' as const, reason: values.reason ?? '' } : approving(approval, values)
        const decided = await world.desk['approval.decide']({ approval: approval.id, revision: approval.revision, decision }, context)
        world.out(values.json === true ? asJson(decided) : `${stateWords(decided)}\n`)
        return decided.state === 'not-applied' ? 1 : 0
      }
    }
  } catch (thrown) {
    if (thrown instanceof UsageError) {
      world.note(`${thrown.message}\nTry "overturn help".\n`)
      return 2
    }
    const error = toWireError(thrown)
    if (words.includes('--json')) world.out(asJson({ error }))
    world.note(`${thrown instanceof ReviewError ? error.message : `${error.message} (${String(thrown)})`}\n`)
    return 1
  }
}

function read(name: ApprovalCommand, words: readonly string[]) {
  try {
    const parsed = parseStrict({ args: [...words], options, allowPositionals: true, strict: true })
    const wrong = Object.keys(parsed.values).find((option) => !allowed[name].includes(option))
    if (wrong !== undefined) throw new UsageError(`${name} has no option --${wrong}.`)
    return parsed
  } catch (thrown) {
    throw thrown instanceof UsageError ? thrown : new UsageError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

async function list(id: string | null, isJson: boolean, waits: boolean, world: ApprovalWorld, context: CallContext): Promise<ExitCode> {
  const ask = (): Promise<ApprovalList> => world.desk['approval.list']({}, context)
  let found = await ask()
  if (waits && found.waiting.length === 0) found = await nextQuestion(ask, world)
  if (id !== null) {
    const approval = [...found.waiting, ...found.decided].find((each) => each.id === id)
    if (!approval) throw unknown(id)
    if (isJson) world.out(asJson({ ...approval, texts: await textsOf(approval, world, context) }))
    else world.out(await shown(approval, world, context))
    return 0
  }
  if (isJson) world.out(asJson(found))
  else if (found.waiting.length === 0) world.note('Nothing waits for a decision.\n')
  else for (const approval of found.waiting) world.out(`${line(approval)}\n`)
  return 0
}

/** Resolves with the list once a question waits. */
function nextQuestion(ask: () => Promise<ApprovalList>, world: ApprovalWorld): Promise<ApprovalList> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      ask().then((found) => {
        if (found.waiting.length > 0) resolve(found)
      }, reject)
    }
    world.signal.addEventListener('abort', () => reject(new ReviewError('CANCELLED', 'Cancelled. Nothing was decided.')), { once: true })
    world.onChanged(look)
    look()
  })
}

async function find(id: string | undefined, world: ApprovalWorld, context: CallContext): Promise<Approval> {
  if (id === undefined) throw new UsageError('Name the question by its id. "overturn approvals" lists them.')
  const { waiting, decided } = await world.desk['approval.list']({}, context)
  const approval = [...waiting, ...decided].find((each) => each.id === approvalId(id))
  if (!approval) throw unknown(id)
  return approval
}

/** Who approves must have seen what it became: without a word about it, only what was asked at first counts as seen. */
function checkSeen({ id, revision: now }: Approval, seen: number | null): void {
  if (now === (seen ?? 1)) return
  throw new ReviewError('FILE_CHANGED_SINCE_READ', `The file changed after this was asked, so the diff is another one. Look at it with "overturn approvals ${id}", then approve it with --revision ${now}.`)
}

function revision(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError('--revision takes a number: the one that "overturn approvals <id>" shows.')
  return Number(text)
}

interface Choice {
  readonly hunks?: string | undefined
  readonly path?: string | undefined
  readonly content?: string | undefined
  readonly always?: boolean | undefined
  readonly 'rest-of-turn'?: boolean | undefined
  readonly comment?: string | undefined
}

function approving(approval: Approval, choice: Choice): Decision {
  const { subject } = approval
  const files: ApprovedFile[] = []
  if (choice.hunks !== undefined || choice.content !== undefined) {
    const file = fileOf(approval, choice.path)
    const text = choice.content === undefined ? null : readText(choice.content)
    files.push({ path: file.path, hunks: choice.hunks === undefined ? null : hunkNumbers(choice.hunks, file), text })
  } else if (choice.path !== undefined) {
    throw new UsageError('--path goes with --hunks or --content.')
  }
  if (choice.always === true && subject.kind !== 'command') throw new UsageError('--always is for commands: it stores their rules.')
  const alwaysRules = choice.always === true && subject.kind === 'command' ? subject.judgement.parts.flatMap(({ alwaysRule }) => (alwaysRule === null ? [] : [alwaysRule])) : []
  if (choice.always === true && alwaysRules.length === 0) throw new ReviewError('INVALID_PARAMS', 'No part of this command can have a rule. Approve it without --always.')
  return { kind: 'approve', files, comment: choice.comment ?? '', isForRestOfTurn: choice['rest-of-turn'] === true, alwaysRules }
}

function fileOf({ subject }: Approval, path: string | undefined): ApprovalFile {
  if (subject.kind !== 'edit') throw new UsageError('--hunks and --content are for edits only.')
  const [first, ...more] = subject.files
  if (path === undefined && first && more.length === 0) return first
  const named = subject.files.find((file) => file.path === path)
  if (!named) throw new UsageError(`Name one of its files with --path: ${subject.files.map((file) => plain(file.path)).join(', ')}.`)
  return named
}

/**
 * The hunks that a person named; `none` leaves the file out.
 * Errors: UsageError for anything but numbers from 1 with commas between, each once; HUNK_NOT_FOUND.
 */
function hunkNumbers(text: string, { path, hunks }: ApprovalFile): readonly number[] {
  if (text.trim() === 'none') return []
  const words = text.split(',').map((part) => part.trim())
  const odd = words.find((part) => !/^[1-9]\d{0,5}$/.test(part))
  if (odd !== undefined) throw new UsageError(`--hunks takes numbers with commas between, from 1, such as --hunks 1,3; or none, to leave the file out. ${odd === '' ? 'One is missing.' : `"${odd}" is no such number.`}`)
  const numbers = words.map(Number)
  const twice = numbers.find((number, at) => numbers.indexOf(number) < at)
  if (twice !== undefined) throw new UsageError(`--hunks names hunk ${twice} twice. Name each once.`)
  const missing = numbers.find((number) => number > hunks)
  if (missing !== undefined) throw new ReviewError('HUNK_NOT_FOUND', `${plain(path)} has ${countOf(hunks, 'hunk')}. There is no hunk ${missing}. Nothing was written.`)
  return numbers
}

function readText(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file === '-' ? 0 : file))
  } catch (thrown) {
    throw new UsageError(`The file for --content cannot be read as UTF-8 text (${thrown instanceof Error ? thrown.message : String(thrown)}).`)
  }
}

function line(approval: Approval): string {
  const { id, source, subject, state } = approval
  const stale = state === 'stale' ? `  (the file changed: revision ${approval.revision}, with a fresh diff)` : state === 'approved' ? '  (runs now)' : ''
  return `${id}  ${plain(source.client)}, turn ${source.turn}  ${what(subject)}${stale}`
}

function what(subject: Approval['subject']): string {
  switch (subject.kind) {
    case 'edit':
      return subject.files.map(fileWords).join('; ')
    case 'command':
      return `runs ${plain(subject.command)}`
    case 'plan':
      return `plan: ${plain(subject.markdown)}`
  }
}

/** One file of an edit: "modify a +2 −2 in 2 hunks", "create run.sh +1 −0 in 1 hunk, mode 755". */
function fileWords({ path, operation, stat, hunks, badges, taken }: ApprovalFile): string {
  const size = operation === 'mode' ? null : stat ? signed(stat) : 'binary'
  const mode = badges.find((badge) => badge.kind === 'mode')
  return [
    [operation, plain(path), ...(size === null ? [] : [size]), ...(hunks > 0 ? [`in ${countOf(hunks, 'hunk')}`] : [])].join(' '),
    ...(mode ? [`mode ${[mode.before, mode.after].flatMap((bits) => (bits === null ? [] : [octal(bits)])).join(' → ')}`] : []),
    ...(taken ? [takenText(taken)] : []),
  ].join(', ')
}

function octal(bits: number): string {
  return bits.toString(8).padStart(3, '0')
}

async function textsOf(approval: Approval, world: ApprovalWorld, context: CallContext) {
  if (approval.subject.kind !== 'edit' || approval.state === 'applied') return []
  try {
    return await Promise.all(approval.subject.files.map(async ({ path }) => ({ path, ...(await world.desk['approval.read']({ approval: approval.id, path, showOversized: true }, context)) })))
  } catch (thrown) {
    // Long over, or answered without asking: its texts are in the timeline.
    if (thrown instanceof ReviewError && thrown.code === 'APPROVAL_NOT_WAITING') return []
    throw thrown
  }
}

/** One question with its diff, hunk by hunk, or its parts. */
async function shown(approval: Approval, world: ApprovalWorld, context: CallContext): Promise<string> {
  const { subject } = approval
  const lines = [line(approval)]
  if (subject.kind === 'command') {
    if (subject.note !== null) lines.push(`  ${plain(subject.note)}`)
    for (const { verdict, text, reason } of subject.judgement.parts) lines.push(`  ${verdict}: ${plain(text)} (${plain(reason)})`)
  }
  if (subject.kind === 'plan') lines.push(...visible(subject.markdown).split('\n'))
  for (const { path, before, after } of await textsOf(approval, world, context)) {
    lines.push(`--- ${plain(path)}`)
    const texts = [asText(before), asText(after)] as const
    if (texts[0] === null || texts[1] === null) lines.push(`  ${before.kind} before, ${after.kind} after`)
    else for (const [at, hunk] of hunksOf(texts[0], texts[1]).entries()) lines.push(`hunk ${at + 1}`, ...visible(formatHunk(hunk).replace(/\n$/, '')).split('\n'))
  }
  return `${lines.join('\n')}\n`
}

function asText(side: FileSide): string | null {
  if (side.kind === 'text') return side.text
  return side.kind === 'absent' ? '' : null
}

function stateWords({ state, outcome }: Approval): string {
  return state === 'approved' ? 'Approved. It runs now.' : plain(outcome ?? state)
}

function unknown(id: string): ReviewError {
  return new ReviewError('APPROVAL_NOT_WAITING', `There is no question ${id.slice(0, 40)}. "overturn approvals" lists those that wait.`)
}
