import type { TestContent } from './temp-history.js'

/** What the edits of the crash tests begin with; `sub` is the folder that is swapped. */
export const editFiles: Readonly<Record<string, TestContent>> = {
  'sub/a.txt': { text: 'old\n', mode: 0o755 },
  'sub/gone.txt': 'gone\n',
  'sub/bystander.txt': 'mine\n',
}

const hunk = '--- a/sub/a.txt\n+++ b/sub/a.txt\n@@ -1 +1 @@\n-old\n+new\n'
const made = (name: string): string => `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+made\n`
const gone = 'diff --git a/sub/gone.txt b/sub/gone.txt\ndeleted file mode 100644\n--- a/sub/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n'

export const editCalls = {
  edit: { name: 'edit_file', args: { path: 'sub/a.txt', old_text: 'old', new_text: 'new' } },
  patch: { name: 'apply_patch', args: { patch: hunk + made('sub/deep/er/made.txt') + made('sub/made.txt') + gone } },
} as const

export type EditCase = keyof typeof editCalls | 'undo'

export function isEditCase(name: string): name is EditCase {
  return name === 'undo' || name in editCalls
}
