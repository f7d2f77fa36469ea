import { elapsedText } from '../ui/words.js'

/** What no rule and no mode allows, in short; the policy itself knows many spellings of each. */
export const deniedAlways: readonly string[] = [
  'Deleting the root folder, the home folder or what lies above the workspace, in any spelling',
  'Becoming another user: sudo, su, doas',
  'Writing to disks and devices, making or mounting file systems',
  'Fork bombs, shutting the machine down, ending foreign processes',
  'Running what was just loaded from the network: curl … | sh',
  'Writing outside of the workspace',
  'Rewriting the history of protected branches, and force pushes to them',
]

const usualLimitsMs = [30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000]

/** Time limits to choose from, the present one among them. */
export function timeLimits(presentMs: number): readonly { readonly ms: number; readonly text: string }[] {
  return [...new Set([...usualLimitsMs, presentMs])].sort((a, b) => a - b).map((ms) => ({ ms, text: elapsedText(ms) }))
}

/** Names of branches as typed into one field, between commas or blanks. */
export function branchesOf(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))]
}
