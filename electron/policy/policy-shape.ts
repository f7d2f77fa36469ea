import { z } from 'zod'
import { sensitivities, type PolicySettings } from '../../shared/policy.js'
import { defaultSensitivePaths } from './sensitive-paths.js'

/** The settings that hold where the file says nothing. */
export const defaultPolicy: PolicySettings = {
  rules: [],
  protectedBranches: ['main', 'master', 'develop', 'trunk', 'release/*'],
  sensitivePaths: defaultSensitivePaths,
  redactSecrets: true,
  askForNetworkFrom: 'RESTRICTED',
  commandTimeLimitMs: 120_000,
  approvalMode: 'ask',
}

const level = z.enum(sensitivities)

const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[^\0-\x1f\x7f]*$/, 'holds a control character')

/** The file as a person may write it: every part may be left out, none may be unknown. */
export const policyShape = z.strictObject({
  rules: z
    .array(z.strictObject({ id: text(80), command: text(500), workspace: text(4096).nullable(), addedAt: z.number().int().min(0) }))
    .max(2000)
    .default([]),
  protectedBranches: z
    .array(text(200))
    .max(200)
    .default([...defaultPolicy.protectedBranches]),
  sensitivePaths: z
    .array(z.strictObject({ pattern: text(300), level }))
    .max(1000)
    .default([...defaultPolicy.sensitivePaths]),
  redactSecrets: z.boolean().default(defaultPolicy.redactSecrets),
  askForNetworkFrom: level.nullable().default(defaultPolicy.askForNetworkFrom),
  commandTimeLimitMs: z
    .number()
    .int()
    .min(1000)
    .max(24 * 3_600_000)
    .default(defaultPolicy.commandTimeLimitMs),
  approvalMode: z.enum(['ask', 'review-after', 'plan']).default(defaultPolicy.approvalMode),
})
