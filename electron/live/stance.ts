import { raiseTaint, type ApprovalMode, type Sensitivity, type SensitivityReason } from '../../shared/policy.js'

/** How sensitive what an agent has seen is; it rises and never falls. */
export interface Taint {
  readonly level: Sensitivity
  readonly reasons: readonly SensitivityReason[]
}

/** What holds for an agent wherever it works: in the user's workspace and in one of its own. */
export interface Stance {
  readonly mode: () => ApprovalMode
  /** Begins anew: a plan that was approved before counts no more. */
  readonly setMode: (mode: ApprovalMode) => void
  readonly isPlanApproved: () => boolean
  readonly approvePlan: () => void
  /** Whether nothing may be changed before a plan is approved. */
  readonly isPlanning: () => boolean
  readonly taint: () => Taint
  /** Whether it rose. */
  readonly raise: (level: Sensitivity, reasons: readonly SensitivityReason[]) => boolean
}

const keptReasons = 50

/** `first` is the mode that the agent was started with; `null` follows the setting. `earlier` is what it had seen before a restart. */
export function createStance(first: ApprovalMode | null, usualMode: () => ApprovalMode, earlier: Taint = { level: 'PUBLIC', reasons: [] }): Stance {
  let mode = first
  let isPlanApproved = false
  let taint = earlier
  const current = (): ApprovalMode => mode ?? usualMode()
  return {
    mode: current,
    setMode: (next) => {
      mode = next
      isPlanApproved = false
    },
    isPlanApproved: () => isPlanApproved,
    approvePlan: () => {
      isPlanApproved = true
    },
    isPlanning: () => current() === 'plan' && !isPlanApproved,
    taint: () => taint,
    raise: (level, reasons) => {
      const next = raiseTaint(taint.level, level)
      if (next === taint.level) return false
      taint = { level: next, reasons: [...reasons, ...taint.reasons].slice(0, keptReasons) }
      return true
    },
  }
}
