import { isOpen, takenText, type Approval, type ApprovalFile, type ApprovalMode, type EditOperation } from '../../shared/approval.js'
import type { Verdict } from '../../shared/policy.js'
import type { Chosen } from '../state/approval-view.js'
import { clientName } from '../ui/agents.js'
import type { IconName } from '../ui/icons.js'
import { visibleText } from '../ui/visible-text.js'
import { countText, elapsedText } from '../ui/words.js'
import { commandPieces } from './command-text.js'

/** The picture of an entry, by what is asked for. */
export function entryIcon({ subject }: Approval): IconName {
  switch (subject.kind) {
    case 'command':
      return 'command'
    case 'plan':
      return 'lines'
    case 'edit': {
      const [file] = subject.files
      if (subject.sed !== null) return 'sed'
      if (!file || subject.files.length > 1) return 'file'
      return file.operation === 'create' ? 'plus' : file.operation === 'delete' ? 'minus' : 'pencil'
    }
  }
}

/** What an entry is about, in the words of the list: a path, a command, the number of files. */
export function entryTitle({ subject }: Approval): string {
  switch (subject.kind) {
    case 'command':
      return shortCommand(subject.command)
    case 'plan':
      return planTitle(subject.markdown)
    case 'edit':
      return subject.files.length === 1 ? visibleText(subject.files[0]?.path ?? '') : `Patch over ${countText(subject.files.length, 'file')}`
  }
}

/** "Claude Code wants to change src/checkout/tax.ts"; of what is over: "wanted to". */
export function wantsText({ source, subject, state }: Approval): string {
  const isOver = !isOpen(state) && state !== 'approved'
  const wants = isOver ? 'wanted to' : 'wants to'
  const who = clientName(source.client)
  switch (subject.kind) {
    case 'command':
      return `${who} ${wants} run a command`
    case 'plan':
      return `${who} ${isOver ? 'asked' : 'asks'} to approve a plan`
    case 'edit': {
      const [file] = subject.files
      if (!file || subject.files.length > 1) return `${who} ${wants} change ${countText(subject.files.length, 'file')}`
      const path = visibleText(file.path)
      const does: Readonly<Record<EditOperation, string>> = {
        create: `create ${path}`,
        modify: `change ${path}`,
        delete: `delete ${path}`,
        rename: `rename ${visibleText(file.from ?? '')} to ${path}`,
        mode: `change the mode of ${path}`,
      }
      return `${who} ${wants} ${does[file.operation]}`
    }
  }
}

/** The small words below an entry's title. */
export function entryNotes({ source, subject }: Approval): readonly string[] {
  switch (subject.kind) {
    case 'command': {
      const { parts } = subject.judgement
      const asks = parts.filter(({ verdict }) => verdict === 'asks').length
      return [source.tool, subject.judgement.isParsed ? `${countText(parts.length, 'part')}, ${asks === 1 ? '1 asks' : `${asks} ask`}` : 'could not be parsed']
    }
    case 'plan':
      return [source.tool, countText(subject.files.length, 'file')]
    case 'edit': {
      const tool = subject.sed === null ? source.tool : 'sed -i, simulated'
      const [file] = subject.files
      if (!file || subject.files.length > 1) return [tool, 'all or nothing']
      return [tool, fileNote(file)]
    }
  }
}

/** What kind of change a file is, in a word or two; hunks where it has some. */
export function fileNote({ operation, hunks, taken }: ApprovalFile): string {
  if (taken) return takenText(taken)
  const words: Readonly<Record<EditOperation, string>> = {
    create: 'new file',
    modify: hunks === 0 ? 'as a whole' : countText(hunks, 'hunk'),
    delete: 'deletes the file',
    rename: 'renamed',
    mode: 'mode only',
  }
  return words[operation]
}

/** How the wait stands: "the agent waits for up to 9 min". */
export function waitText({ state, waitsUntil, hasTicket }: Approval, now: number): string {
  if (state === 'approved') return 'being carried out'
  if (hasTicket) return 'the agent was given a ticket and asks again'
  if (waitsUntil === null) return 'the agent waits without limit'
  const left = waitsUntil - now
  return left <= 0 ? 'the agent is about to be given a ticket' : `the agent waits for up to ${left < 60_000 ? elapsedText(left) : `${Math.ceil(left / 60_000)} min`}`
}

/** What became of an entry, for the list: "approved, written". */
export function outcomeText(approval: Approval): string {
  const { state, decidedBy, outcome, subject, canUndo } = approval
  switch (state) {
    case 'waiting':
    case 'stale':
      return 'waits'
    case 'approved':
      return 'being carried out'
    case 'applied': {
      if (subject.kind === 'plan') return 'plan approved'
      if (subject.kind === 'command') return decidedBy === 'rule' ? 'allowed by a rule, ran' : 'approved, ran'
      if (!canUndo && outcome?.startsWith('Undone') === true) return 'approved, undone again'
      return partText(subject.files) ?? (decidedBy === 'mode' ? 'written unasked, to review' : 'approved, written')
    }
    case 'not-applied':
      return 'approved, not carried out'
    case 'rejected': {
      const reason = outcome?.replace(/^Rejected(: | without a reason\.)/, '').trim() ?? ''
      return reason === '' ? 'rejected' : `rejected: “${visibleText(reason)}”`
    }
    case 'denied':
      return 'denied by policy'
    case 'cancelled':
      return 'the agent gave up, refused'
    case 'expired':
      return 'no answer, refused'
  }
}

/** How an edit was approved that was not written as proposed; `null` where it was. */
function partText(files: readonly ApprovalFile[]): string | null {
  const parts = files.flatMap(({ taken }) => (taken ? [taken] : []))
  if (parts.length === 0) return null
  if (parts.some(({ kind }) => kind === 'edited')) return 'approved as edited'
  const written = files.length - parts.filter(({ kind }) => kind === 'left-out').length
  if (written < files.length) return `approved, ${written} of ${files.length} files`
  const [part] = parts
  if (files.length > 1 || part?.kind !== 'hunks') return 'approved, some hunks left out'
  const first = part.hunks.slice(0, -1)
  return `approved, ${first.length === 0 ? 'hunk' : `hunks ${first.join(', ')} and`} ${part.hunks.at(-1)}`
}

export function outcomeIcon({ state, subject }: Approval): IconName {
  switch (state) {
    case 'waiting':
    case 'stale':
    case 'approved':
    case 'expired':
      return 'clock'
    case 'applied':
      return subject.kind === 'edit' && subject.files.some(({ taken }) => taken?.kind === 'edited') ? 'pencil' : 'check'
    case 'not-applied':
      return 'conflict'
    case 'rejected':
    case 'denied':
    case 'cancelled':
      return 'cross'
  }
}

/** What the first button does, with the numbers of what is ticked. */
export function approveLabel(approval: Approval, chosen: Chosen): string {
  const { subject } = approval
  switch (subject.kind) {
    case 'command': {
      const { parts } = subject.judgement
      return parts.length > 1 ? `Run all ${parts.length} parts` : 'Run the command'
    }
    case 'plan':
      return 'Approve the plan'
    case 'edit': {
      const [file] = subject.files
      const edited = chosen.isTyped ? ' as edited' : ''
      if (chosen.files === 0) return 'Nothing is ticked'
      if (file && subject.files.length === 1) {
        if (chosen.hunks < chosen.allHunks) return `Approve ${chosen.hunks} of ${chosen.allHunks} hunks`
        if (file.operation === 'create') return `Approve the new file${edited}`
        if (file.operation === 'delete') return 'Approve the deletion'
        return chosen.allHunks > 1 ? `Approve all ${chosen.allHunks} hunks${edited}` : `Approve the change${edited}`
      }
      const files = chosen.files === chosen.allFiles ? (chosen.allFiles === 2 ? 'both files' : `all ${chosen.allFiles} files`) : `${chosen.files} of ${chosen.allFiles} files`
      const whole = subject.files.length > 0 && chosen.isWhole
      return whole || chosen.files < chosen.allFiles ? `Approve ${files}${edited}` : `Approve ${chosen.hunks} of ${chosen.allHunks} hunks${edited}`
    }
  }
}

/** A command as short as it stays telling: the first words of each part, with what stands between them. */
export function shortCommand(command: string): string {
  const line = visibleText(command.trim())
  if (line.length <= 44) return line
  let short = ''
  let part = ''
  const close = (): void => {
    short += shortPart(part)
    part = ''
  }
  for (const { text, kind } of commandPieces(command.trim())) {
    if (kind === 'operator' && /^(&&|\|\|?|;|⏎)$/.test(text)) {
      close()
      short += ` ${text} `
    } else part += kind === 'sign' ? `‹${text}›` : text
  }
  close()
  return short.length <= 52 ? short : `${short.slice(0, 50)}…`
}

function shortPart(part: string): string {
  const words = part.trim().split(/\s+/)
  const kept = words.slice(0, /^(npm|npx|pnpm|yarn|git|cargo|go|docker)$/.test(words[0] ?? '') ? 2 : 1).join(' ')
  return words.length <= 2 ? words.join(' ') : `${kept.slice(0, 24)} …`
}

function planTitle(markdown: string): string {
  const line = markdown.split('\n').find((one) => one.trim() !== '') ?? ''
  return `Plan: ${visibleText(line.replace(/^[#\s*>-]+/, '').slice(0, 80))}`
}

export const modeWords: Readonly<Record<ApprovalMode, { readonly name: string; readonly says: string; readonly text: string }>> = {
  ask: { name: 'Ask for everything', says: 'asks for everything', text: 'Each edit waits for you, and each command that does more than read the workspace, unless a rule of yours allows it.' },
  'review-after': { name: 'Apply edits, review after', says: 'applies edits, asks for commands', text: 'Edits are written at once and can be taken back. Commands that do more than read still wait for you.' },
  plan: { name: 'Plan first', says: 'plans first', text: 'Nothing is written and nothing runs that changes something, until you approve a plan.' },
}

export const verdictWords: Readonly<Record<Verdict, { readonly name: string; readonly icon: IconName }>> = {
  allowed: { name: 'Allowed', icon: 'check' },
  asks: { name: 'Asks', icon: 'question' },
  denied: { name: 'Denied', icon: 'cross' },
}

/** "5, oldest 2 min"; `null` where nothing waits. */
export function waitingNote(waiting: readonly Approval[], now: number): string | null {
  const open = waiting.filter(({ state }) => isOpen(state))
  if (open.length === 0) return null
  const oldest = Math.min(...open.map(({ askedAt }) => askedAt))
  const age = now - oldest
  return `${open.length}, oldest ${age < 60_000 ? elapsedText(age) : elapsedText(Math.floor(age / 60_000) * 60_000)}`
}
