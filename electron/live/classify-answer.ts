import { isAbsolute, join } from 'node:path'
import type { PolicySettings, Sensitivity, SensitivityReason } from '../../shared/policy.js'
import type { ToolAnswer } from '../agents/agent-desk.js'
import { classifyResult, redact } from '../policy/classify.js'
import type { EnvironmentSecret } from '../policy/environment-secrets.js'

export interface ClassifiedAnswer {
  readonly level: Sensitivity
  readonly reasons: readonly SensitivityReason[]
  /** As the agent gets it: without secrets where the settings say so. */
  readonly answer: ToolAnswer
}

const longestMs = 5_000

/** How sensitive an answer is, by the paths that it is about and by the secrets in it, those of the environment among them. */
export async function classifyAnswer(call: { readonly tool: string; readonly args: unknown }, answer: ToolAnswer, settings: PolicySettings, root: string, environment: readonly EnvironmentSecret[] = []): Promise<ClassifiedAnswer> {
  const { text, structured } = answer
  const paths = pathsOf(call.args, structured).map((path) => (isAbsolute(path) ? path : join(root, path)))
  const { level, reasons, secrets } = await classifyResult({ tool: call.tool, paths, text, settings, environment }, AbortSignal.timeout(longestMs))
  if (!settings.redactSecrets || secrets.length === 0) return { level, reasons, answer }
  const texts = [...new Set(secrets.map(({ start, end }) => text.slice(start, end)))].filter((each) => each !== '').sort((one, two) => two.length - one.length)
  return { level, reasons, answer: { ...answer, text: redact(text, secrets), structured: withoutTexts(structured, texts) } }
}

function pathsOf(args: unknown, structured: Readonly<Record<string, unknown>>): readonly string[] {
  const paths: string[] = []
  const add = (value: unknown): void => {
    if (typeof value === 'object' && value !== null && 'path' in value && typeof value.path === 'string') paths.push(value.path)
  }
  add(args)
  for (const list of [structured['files'], structured['matches']]) if (Array.isArray(list)) list.forEach(add)
  return [...new Set(paths)].slice(0, 2_000)
}

function withoutTexts(structured: Readonly<Record<string, unknown>>, texts: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(structured).map(([key, value]) => [key, without(value, texts)]))
}

function without(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === 'string') return texts.reduce((rest, text) => rest.replaceAll(text, '[secret taken out]'), value)
  if (Array.isArray(value)) return value.map((each) => without(each, texts))
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, without(each, texts)])) : value
}
