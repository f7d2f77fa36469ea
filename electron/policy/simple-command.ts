import {
  commandText,
  isAtLeast,
  type CommandPart,
  type CommandRule,
  type PolicySettings,
  type Sensitivity,
  type Verdict,
} from '../../shared/policy.js'
import type { Finding } from './findings.js'
import { literalOf, type Field } from './shell-fields.js'

/** What decides how a part's findings become its verdict. */
export interface PartContext {
  readonly settings: PolicySettings
  readonly workspaceRoot: string
  readonly taint: Sensitivity
  readonly isPlanMode: boolean
}

/** A simple command with what it was found to do. */
export interface JudgedCommand {
  readonly text: string
  readonly depth: number
  /** Its words; empty for what is no simple command. */
  readonly fields: readonly Field[]
  readonly findings: readonly Finding[]
  /** Whether it is nothing but its words: no assignment in front, no file to read from or write to, certain to run in the workspace folder itself. */
  readonly isBare: boolean
}

const worstFirst: readonly Verdict[] = ['denied', 'asks', 'allowed']

/** The part that a person sees: the worst verdict of all findings, and all reasons for it. */
export function partOf(command: JudgedCommand, context: PartContext): CommandPart {
  const { findings } = command
  const verdict = worstFirst.find((candidate) => findings.some((finding) => finding.verdict === candidate)) ?? 'allowed'
  const reachesNetwork = findings.some((finding) => finding.reachesNetwork)
  const isReadOnly = findings.every((finding) => finding.isReadOnly)
  const rule = verdict === 'asks' ? ruleText(command) : null
  const base = { text: command.text, ruleId: null, alwaysRule: null, reachesNetwork, isReadOnly, depth: command.depth }

  if (context.isPlanMode && !isReadOnly && verdict !== 'denied') return { ...base, verdict: 'denied', reason: 'Plan mode: submit a plan first' }
  if (verdict !== 'asks') return { ...base, verdict, reason: reasonOf(findings, verdict) }

  const floor = context.settings.askForNetworkFrom
  if (reachesNetwork && floor !== null && isAtLeast(context.taint, floor)) {
    return { ...base, verdict, reason: `${reasonOf(findings, verdict)}; asks always, since this session read ${context.taint} content` }
  }
  const allowing = rule === null ? undefined : context.settings.rules.find((candidate) => isAllowing(candidate, rule, context.workspaceRoot))
  if (allowing) return { ...base, verdict: 'allowed', reason: 'Allowed by a rule of yours', ruleId: allowing.id, alwaysRule: rule }
  return { ...base, verdict, reason: reasonOf(findings, verdict), alwaysRule: rule }
}

function isAllowing(rule: CommandRule, text: string, workspaceRoot: string): boolean {
  return rule.command === text && (rule.workspace === null || rule.workspace === workspaceRoot)
}

/** The exact words that a rule may hold; `null` for a command that means more than its words. */
function ruleText({ fields, findings, isBare }: JudgedCommand): string | null {
  if (!isBare || fields.length === 0 || findings.some((finding) => !finding.canBeRuled)) return null
  const words = fields.map((field) => (field.isPlain ? literalOf(field) : null))
  const known = words.flatMap((word) => (word === null ? [] : [word]))
  if (known.length < words.length || known.some((word) => /[\0-\x1f\x7f]/.test(word))) return null
  const text = commandText(known)
  return text.length <= 500 ? text : null
}

function reasonOf(findings: readonly Finding[], verdict: Verdict): string {
  const reasons = [...new Set(findings.filter((finding) => finding.verdict === verdict).map((finding) => finding.reason))]
  if (verdict === 'allowed') return reasons.find((reason) => reason !== 'Only reads') ?? 'Only reads'
  if (verdict === 'denied') return reasons[0] ?? ''
  const shown = reasons.length > 4 ? [...reasons.slice(0, 3), `and ${reasons.length - 3} more`] : reasons
  return shown.map((reason, at) => (at === 0 ? reason : reason.charAt(0).toLowerCase() + reason.slice(1))).join(', ')
}
