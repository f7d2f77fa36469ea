import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { openCodex } from '../testing/open-codex.js'
import { recordedEdits } from './turn-files.js'

it('are shown of each file of a patch, whose contents no record holds', async () => {
  const home = join(import.meta.dirname, '../sessions/fixtures/codex/legacy-0.80/home')
  const log = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((file) => file.endsWith('.jsonl')) ?? ''
  const session = await openCodex(join(home, log))
  await session.whenLoaded()
  const last = session.turns.at(-1)
  if (!last) throw new Error('The session has no turn.')
  const entries = await session.readTurn(last.promptId)
  session.close()
  const diffs = (path: string): readonly (string | null)[] => recordedEdits(entries, workspacePath(path)).map(({ diff }) => diff)
  expect([diffs('config/app.ini'), diffs('elsewhere.txt')]).toEqual([['@@\n-port=8080\n+port=9090\n'], []])
})
