import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkImports } from './check-imports.js'
import { minModuleCount } from './import-rules.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'overturn-imports-'))
})
afterEach(async () => {
  await rm(root, { recursive: true })
})

async function violationsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
  return (await checkImports(root)).violations
}

describe('check-imports', () => {
  it('finds nothing in this project, and looks at all of it', async () => {
    const project = fileURLToPath(new URL('..', import.meta.url))
    const { moduleCount, violations } = await checkImports(project)
    expect(violations).toEqual([])
    expect(moduleCount).toBeGreaterThanOrEqual(minModuleCount)
  })

  it.each([
    { what: 'an upward import', file: 'shared/a.ts', text: "import { x } from '../electron/base/log.js'", found: 'shared may not import electron/base/log.ts.' },
    { what: 'a type from above', file: 'electron/base/a.ts', text: "import type { X } from '../history/x.js'", found: 'electron/base may not import electron/history/x.ts.' },
    { what: 'a re-export', file: 'renderer/api/a.ts', text: "export * from '../state/store.js'", found: 'renderer/api may not import renderer/state/store.ts.' },
    { what: 'an import on demand', file: 'renderer/ui/a.ts', text: "void import('../shell/App.js')", found: 'renderer/ui may not import renderer/shell/App.tsx.' },
    { what: 'an import inside a type', file: 'shared/a.ts', text: "export type X = import('../renderer/ui/parts.js').X", found: 'shared may not import renderer/ui/parts.ts.' },
    { what: 'a required file', file: 'electron/hosts/a.ts', text: "require('../history/x.js')", found: 'electron/hosts may not import electron/history/x.ts.' },
    { what: 'the other side', file: 'renderer/state/a.ts', text: "import '../../electron/app.js'", found: 'renderer/state may not import electron/app.ts.' },
    { what: 'a file of a room that only lends one', file: 'electron/sessions/a.ts', text: "import '../history/x.js'", found: 'electron/sessions may not import electron/history/x.ts.' },
    { what: 'a concrete host in the app', file: 'electron/app.ts', text: "import './hosts/web-host.js'", found: 'electron/app.ts may not import electron/hosts/web-host.ts.' },
    { what: 'the package electron', file: 'electron/base/a.ts', text: "import 'electron'", found: 'electron may only be imported in' },
    { what: 'ws', file: 'electron/hosts/host.ts', text: "import 'ws'", found: 'ws may only be imported in' },
    { what: 'a process', file: 'electron/history/a.ts', text: "import 'child_process'", found: 'node:child_process may only be imported in' },
    { what: 'the editor', file: 'renderer/shell/a.ts', text: "import 'monaco-editor/editor/editor.api'", found: 'monaco-editor may only be imported in' },
    { what: 'the schema library', file: 'renderer/state/a.ts', text: "import 'zod'", found: 'zod may only be imported in' },
    { what: 'Node in the renderer', file: 'renderer/state/a.ts', text: "import 'fs/promises'", found: 'node:fs belongs to Node' },
    { what: 'a package in shared', file: 'shared/a.ts', text: "import 'react'", found: 'shared/ imports no package: react.' },
    { what: 'the contract as a value', file: 'renderer/api/a.ts', text: "import { contract } from '../../shared/contract.js'", found: 'with "import type" only' },
    { what: 'a file written', file: 'electron/api/a.ts', text: "import * as fs from 'node:fs'\nfs.writeFileSync('a', '')", found: 'a.ts:2: only the files listed as writers may call writeFileSync.' },
    { what: 'a file opened for writing', file: 'electron/api/a.ts', text: "import { open } from 'node:fs/promises'\nvoid open('a', 'r+')", found: 'writers may call open.' },
    { what: 'a file opened for writing by constants', file: 'electron/api/a.ts', text: "import { open } from 'node:fs/promises'\nvoid open('a', c.O_RDONLY | c.O_CREAT)", found: 'writers may call open.' },
    { what: 'a file opened with unknown flags', file: 'electron/api/a.ts', text: "import { openSync } from 'node:fs'\nopenSync('a', flags)", found: 'writers may call openSync.' },
    { what: 'an unknown room', file: 'electron/utils/a.ts', text: '', found: 'this room is not in' },
  ])('finds $what', async ({ file, text, found }) => {
    const targets = Object.fromEntries(
      ['electron/base/log.ts', 'electron/history/x.ts', 'electron/hosts/web-host.ts', 'renderer/state/store.ts', 'renderer/ui/parts.ts', 'shared/contract.ts']
        .concat(file === 'electron/app.ts' ? [] : ['electron/app.ts'], ['renderer/shell/App.tsx'])
        .map((name) => [name, 'export {}\n']),
    )
    expect(await violationsOf({ ...targets, [file]: text })).toEqual([expect.stringContaining(found)])
  })

  it('allows what the table allows', async () => {
    const files = {
      'shared/contract.ts': "import { z } from 'zod'\nimport type { X } from './ids.js'",
      'shared/ids.ts': '',
      'electron/history/a.ts': "import '../base/b.js'\nimport { open } from 'node:fs/promises'\nvoid open('a', 'r')\nvoid open('a', c.O_RDONLY | c.O_NOFOLLOW)\nprocess.stdout.write('')",
      'electron/base/b.ts': '',
      'electron/sessions/c.ts': "import type { X } from '../history/backup-store.js'",
      'electron/history/backup-store.ts': "import { writeFile } from 'node:fs/promises'\nvoid writeFile('a', '')",
      'electron/history/a.test.ts': "import '../api/x.js'\nimport 'electron'",
      'renderer/api/client.ts': "import type { Contract } from '../../shared/contract.js'",
      'renderer/changes/monaco.ts': "import 'monaco-editor/editor/editor.api'\nimport url from './x-worker.js?worker&url'",
      'renderer/changes/x-worker.ts': '',
    }
    expect(await violationsOf(files)).toEqual([])
  })
})
