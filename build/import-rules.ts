// The table "who may import whom", and what may only be used in one place. build/check-imports.ts enforces it.
// Tests are free: they run nowhere but beside their source.

/**
 * What each room may import besides itself. A room is a folder or a single file; of two that match the longer one
 * counts. A room that is not listed may not exist.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  shared: [],

  'electron/base': ['shared'],
  'electron/edits': ['shared'],
  'electron/workspace': ['electron/base', 'shared'],
  'electron/approvals': ['electron/base', 'shared'],
  'electron/history': ['electron/workspace', 'electron/base', 'shared'],
  'electron/sessions': ['electron/base', 'electron/history/backup-store.ts', 'electron/history/backup-source.ts', 'shared'],
  'electron/review': ['electron/base', 'electron/history', 'electron/sessions', 'electron/workspace', 'shared'],
  'electron/tools': ['electron/edits', 'electron/workspace', 'electron/history', 'electron/approvals', 'electron/base', 'shared'],
  'electron/agents': ['electron/tools', 'electron/history', 'electron/base', 'shared'],
  'electron/api': [
    'electron/agents',
    'electron/approvals',
    'electron/base',
    'electron/edits',
    'electron/history',
    'electron/hosts/host.ts',
    'electron/review',
    'electron/sessions',
    'electron/tools',
    'electron/workspace',
    'shared',
  ],
  'electron/commands': ['electron/api', 'electron/base', 'electron/history', 'electron/review', 'electron/sessions', 'electron/workspace', 'shared'],
  'electron/hosts': ['electron/base', 'shared'],
  'electron/testing': ['electron', 'shared'],
  'electron/app.ts': [
    'electron/api',
    'electron/base',
    'electron/history',
    'electron/hosts/host.ts',
    'electron/review',
    'electron/sessions',
    'electron/workspace',
    'shared',
  ],
  'electron/main.ts': ['electron/app.ts', 'electron/base', 'electron/hosts', 'shared'],
  'electron/serve-app.ts': ['electron/app.ts', 'electron/base', 'electron/hosts', 'shared'],
  'electron/serve.ts': ['electron/serve-app.ts'],
  'electron/cli.ts': ['electron/app.ts', 'electron/base', 'electron/commands', 'electron/serve-app.ts', 'shared'],

  'renderer/api': ['shared'],
  'renderer/state': ['renderer/api', 'shared'],
  'renderer/ui': ['shared'],
  'renderer/changes': ['renderer/state', 'renderer/ui', 'shared'],
  'renderer/map': ['renderer/state', 'renderer/ui', 'shared'],
  'renderer/sessions': ['renderer/state', 'renderer/ui', 'shared'],
  'renderer/timeline': ['renderer/state', 'renderer/ui', 'shared'],
  'renderer/transcript': ['renderer/state', 'renderer/ui', 'shared'],
  'renderer/approvals': ['renderer/changes', 'renderer/state', 'renderer/ui', 'shared'],
  'renderer/rewind': ['renderer/changes', 'renderer/state', 'renderer/ui', 'shared'],
  'renderer/shell': ['renderer', 'shared'],
  'renderer/testing': ['renderer', 'shared'],
  'renderer/main.tsx': ['renderer', 'shared'],
}

/** Packages and Node modules that only some files or folders may import. */
export const confined: Readonly<Record<string, readonly string[]>> = {
  electron: ['electron/hosts/electron-host.ts', 'electron/hosts/preload.ts'],
  ws: ['electron/hosts/web-host.ts'],
  diff: ['shared/apply-patch.ts', 'electron/edits'],
  zod: ['shared/contract.ts', 'electron'],
  'monaco-editor': ['renderer/changes'],
  'node:child_process': [
    'electron/hosts/open-browser.ts',
    'electron/tools/run-command.ts',
    'electron/tools/search-files.ts',
    'electron/workspace/workspace.ts',
  ],
}

/** Files that are imported for their types alone; as a value this one would bring the schema library along. */
export const typeOnly: readonly { readonly target: string; readonly from: readonly string[] }[] = [
  { target: 'shared/contract.ts', from: ['renderer', 'electron/hosts/preload.ts'] },
]

/** The only files that may change something on disk. Whoever wants to write calls one of these. */
export const writers: readonly string[] = [
  'electron/base/data-files.ts',
  'electron/base/file-bytes.ts',
  'electron/base/json-lines.ts',
  'electron/base/log.ts',
  'electron/base/process-lock.ts',
  'electron/history/backup-pack.ts',
  'electron/history/backup-store.ts',
  'electron/history/settle.ts',
  'electron/history/snapshot-log.ts',
  'electron/sessions/sample.ts',
  'electron/sessions/log-catalog.ts',
  'electron/sessions/sample.ts',
  'electron/workspace/text-files.ts',
]

/** Functions of node:fs that change something on disk. `open` counts unless its flags only read. */
export const writeFunctions: readonly string[] = [
  'appendFile',
  'chmod',
  'chown',
  'copyFile',
  'cp',
  'createWriteStream',
  'link',
  'lchmod',
  'lchown',
  'lutimes',
  'mkdir',
  'mkdtemp',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'utimes',
  'write',
  'writeFile',
  'writev',
]

/** Fewer source files than this mean that the check looked in the wrong place. */
export const minModuleCount = 40
