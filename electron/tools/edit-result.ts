import { z } from 'zod'

/** What the structured answer of an edit holds. */
export const editResult = {
  files: z.array(
    z.object({
      path: z.string(),
      from: z.string().optional(),
      operation: z.string(),
      insertions: z.number().optional(),
      deletions: z.number().optional(),
      sha256: z.string().nullable(),
      note: z.string().nullable(),
    }),
  ),
  diff: z.string(),
  diff_is_cut: z.boolean(),
  changed_by_person: z.array(z.string()),
}
