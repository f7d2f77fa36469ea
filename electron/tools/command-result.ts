import { z } from 'zod'
import { editResult } from './edit-result.js'

/** What the structured answer of a command holds; one that was done as an edit has the fields of an edit too. */
export const commandResult = {
  ...editResult,
  exit_code: z.number().nullable(),
  signal: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  output_is_cut: z.boolean(),
  duration_ms: z.number(),
  timed_out: z.boolean(),
  approved_by: z.string(),
  simulated: z.boolean(),
  changed: z.array(z.object({ path: z.string(), how: z.string() })),
}
