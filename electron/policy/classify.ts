import { isAtLeast, raiseTaint, type PolicySettings, type Sensitivity, type SensitivityReason } from '../../shared/policy.js'
import { secretsOfEnvironment, type EnvironmentSecret } from './environment-secrets.js'
import { mergeSecrets, secretsByPattern, type Secret } from './secret-patterns.js'
import { patternFor } from './sensitive-paths.js'

export { redact, type Secret } from './secret-patterns.js'

/** What a tool gave back. */
export interface ToolResult {
  readonly tool: string
  /** The files that it is about, absolute or below the workspace. */
  readonly paths: readonly string[]
  readonly text: string
  readonly settings: Pick<PolicySettings, 'sensitivePaths'>
  /** Secrets of the environment that commands run in, which a result may show under any name. */
  readonly environment?: readonly EnvironmentSecret[]
}

export interface Classification {
  readonly level: Sensitivity
  /** From the highest level down; at most 20. */
  readonly reasons: readonly SensitivityReason[]
  /** In the order of the text; none overlap. */
  readonly secrets: readonly Secret[]
}

const maxExamined = 1024 * 1024
/** Between two pieces the clock and the signal are looked at; the overlap is longer than any token. */
const pieceLength = 128 * 1024
const overlap = 4096
const timeLimitMs = 2_000

/** Tools that show names and no contents. */
const namesOnly = /^(?:list_directory|exec_ls)$/

/**
 * How closely a tool's result must be kept, why, and where the secrets in it stand.
 *
 * Promise: never throws for what the text holds. Only the first MiB is examined, and only for two seconds or until the signal
 * fires; what was cut off is said, and what was not examined for lack of time counts as CONFIDENTIAL.
 */
export async function classifyResult(result: ToolResult, signal: AbortSignal): Promise<Classification> {
  const { tool, paths, text, settings, environment = [] } = result
  const reasons: SensitivityReason[] = []
  const source = paths[0] ?? tool
  if (paths.length > 0 || text !== '')
    reasons.push({ level: 'INTERNAL', why: paths.length > 0 ? 'A file of the workspace' : 'What a command or tool printed', source })

  for (const path of namesOnly.test(tool) ? [] : paths) {
    const entry = patternFor(path.replaceAll('\\', '/'), settings.sensitivePaths)
    if (entry) reasons.push({ level: entry.level, why: `Its path is sensitive (${entry.pattern})`, source: path })
  }
  const examined = await findSecrets(text.slice(0, maxExamined), signal)
  const secrets = mergeSecrets([...examined.secrets, ...secretsOfEnvironment(text.slice(0, maxExamined), environment)])
  const rules = [...new Set(secrets.map((secret) => secret.rule))]
  for (const rule of rules) reasons.push({ level: 'RESTRICTED', why: `Holds a secret (${rule})`, source })
  if (!examined.isComplete) reasons.push({ level: 'CONFIDENTIAL', why: 'Could not be examined for secrets in time', source })
  else if (text.length > maxExamined) reasons.push({ level: 'INTERNAL', why: 'Only its first MiB was examined for secrets', source })

  const level = reasons.reduce((highest: Sensitivity, reason) => raiseTaint(highest, reason.level), 'PUBLIC')
  const sorted = reasons.sort((one, two) => Number(isAtLeast(two.level, one.level)) - Number(isAtLeast(one.level, two.level)))
  return { level, reasons: sorted.slice(0, 20), secrets }
}

async function findSecrets(text: string, signal: AbortSignal): Promise<{ readonly secrets: readonly Secret[]; readonly isComplete: boolean }> {
  const secrets: Secret[] = []
  const endsAt = Date.now() + timeLimitMs
  for (let start = 0; start < text.length; start += pieceLength - overlap) {
    if (signal.aborted || Date.now() > endsAt) return { secrets: mergeSecrets(secrets), isComplete: false }
    const piece = text.slice(start, start + pieceLength)
    for (const secret of [...(await secretsByLibrary(piece)), ...secretsByPattern(piece)])
      secrets.push({ ...secret, start: secret.start + start, end: secret.end + start })
    if (start + pieceLength >= text.length) break
  }
  return { secrets: mergeSecrets(secrets), isComplete: true }
}

/** The secrets that the library's rules find. It is loaded with the first text. */
async function secretsByLibrary(text: string): Promise<readonly Secret[]> {
  const [{ lintSource }, { rules }] = await Promise.all([import('@secretlint/core'), import('@secretlint/secretlint-rule-preset-recommend')])
  // One rule lets comments in the text switch others off, and what an agent reads may hold such comments.
  const counted = rules.filter((rule) => !rule.meta.id.includes('filter-comments'))
  const found = await lintSource({
    source: { filePath: 'result.txt', content: text, ext: '.txt', contentType: 'text' },
    options: { noPhysicFilePath: true, config: { rules: counted.map((rule) => ({ id: rule.meta.id, rule })) } },
  })
  return found.messages.map((message) => ({ start: message.range[0], end: message.range[1], rule: ruleName(message.ruleId, message.messageId) }))
}

function ruleName(ruleId: string, messageId: string): string {
  const words = messageId && /^[A-Z]/.test(messageId) ? messageId : ruleId.replace(/^.*secretlint-rule-/, '')
  return words.replace(/_/g, ' ').toLowerCase().slice(0, 40)
}
