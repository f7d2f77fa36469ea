/** What the policy says of a command, or of one part of it; from harmless to refused. */
export type Verdict = 'allowed' | 'asks' | 'denied'

/** One simple command of a command line, however deep it is wrapped. */
export interface CommandPart {
  readonly text: string
  readonly verdict: Verdict
  /** What it does, or why it is denied and what to do instead. */
  readonly reason: string
  /** The user's rule that allowed it. */
  readonly ruleId: string | null
  /** The exact text that an "always" rule would store, or `null` where none may be offered. */
  readonly alwaysRule: string | null
  readonly reachesNetwork: boolean
  readonly isReadOnly: boolean
  /** 0 for what the line itself runs, 1 for what that runs in turn, and so on. */
  readonly depth: number
}

export interface CommandJudgement {
  /** The worst of its parts; never `allowed` for what could not be parsed. */
  readonly verdict: Verdict
  readonly isParsed: boolean
  readonly parts: readonly CommandPart[]
  readonly reason: string
}

/** How closely content must be kept; from lowest to highest. */
export const sensitivities = ['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'] as const

export type Sensitivity = (typeof sensitivities)[number]

export interface SensitivityReason {
  readonly level: Sensitivity
  readonly why: string
  /** The path or the tool that the content came from. */
  readonly source: string
}

/** A command that the user always allows: exactly these words, nothing wider. */
export interface CommandRule {
  readonly id: string
  /** The words as `commandText` joins them. */
  readonly command: string
  /** Real path of the workspace in which it counts; `null` for each. */
  readonly workspace: string | null
  readonly addedAt: number
}

export interface SensitivePath {
  /** A glob without `/` means a name at any depth; one that ends in `/` all that lies in such a folder. */
  readonly pattern: string
  readonly level: Sensitivity
}

/** `ask`: for everything; `review-after`: edits are applied and reviewed later, commands ask; `plan`: nothing changes before a plan is approved. */
export type ApprovalMode = 'ask' | 'review-after' | 'plan'

export interface PolicySettings {
  readonly rules: readonly CommandRule[]
  /** Names of branches; `*` stands for any text. */
  readonly protectedBranches: readonly string[]
  readonly sensitivePaths: readonly SensitivePath[]
  readonly redactSecrets: boolean
  /** From this taint on every command that reaches the network asks, whatever the rules say; `null` for never. */
  readonly askForNetworkFrom: Sensitivity | null
  readonly commandTimeLimitMs: number
  readonly approvalMode: ApprovalMode
}

/** Whether content of one level must be kept at least as closely as another says. */
export function isAtLeast(level: Sensitivity, floor: Sensitivity): boolean {
  return sensitivities.indexOf(level) >= sensitivities.indexOf(floor)
}

/** The taint of a session after it saw content of a level: it rises and never falls. */
export function raiseTaint(taint: Sensitivity, level: Sensitivity): Sensitivity {
  return isAtLeast(level, taint) ? level : taint
}

/** The higher of two verdicts. */
export function worseVerdict(one: Verdict, other: Verdict): Verdict {
  const order: readonly Verdict[] = ['allowed', 'asks', 'denied']
  return order.indexOf(one) >= order.indexOf(other) ? one : other
}

/**
 * Words as one line that means just these words: what is not plain is put in single quotes. So two commands have the same
 * text only when they have the same words.
 */
export function commandText(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}
