import { beforeEach, describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import type { FileChange, Scope } from '../../shared/file-state.js'
import { promptId, workspacePath } from '../../shared/ids.js'
import type { WhyAnswer } from '../../shared/search.js'
import { createClient } from '../api/client.js'
import type { ScriptedAnswers } from '../testing/scripted-changes.js'
import { scriptedAnswers, scriptedPort } from '../testing/scripted-host.js'
import { cartKey } from '../testing/scripted-session.js'
import { initialChanges } from './changes-slice.js'
import { setClient } from './client-ref.js'
import { openSession } from './session-actions.js'
import { initialShell } from './shell-slice.js'
import { getState, setState } from './store.js'
import { askWhy, closeWhy, followLine, goToWriter, lineToAsk } from './why-actions.js'

const script = scriptedAnswers({ isOpen: false, turns: null })
const path = workspacePath('src/a.ts')
const turn: Scope = { kind: 'turn', promptId: promptId('p4') }
const text = (value: string) => ({ kind: 'text', text: value, sizeBytes: value.length }) as const
const change: FileChange = { path, kind: 'modified', stat: null, cause: 'edit', sources: { before: 'backup', after: 'edit' }, badges: [], contentKey: null, review: 'none' }
const answer: WhyAnswer = {
  kind: 'written', session: cartKey, agent: 'qwen-code', client: null, title: 'Cart', promptId: promptId('p2'), turn: 2, prompt: 'Use cents', at: 0, callId: null,
  cause: 'edit', hunk: 2, line: 'three', before: null, passed: 0,
}

/** Shows a file of the open session, and lists what the host is asked. `disk` is what the file holds now. */
async function showing(before: string, after: string, disk: string | ReviewError, scope: Scope = turn): Promise<unknown[]> {
  const asked: unknown[] = []
  const answers: ScriptedAnswers = {
    ...script,
    'change.read': async () => {
      if (disk instanceof ReviewError) throw disk
      return { change, before: text(before), after: text(disk), edits: [] }
    },
    'search.why': async ({ file, line }) => {
      asked.push([file, line])
      return answer
    },
  }
  setClient(createClient(scriptedPort(answers), () => undefined))
  await openSession(cartKey)
  setState({ changes: { ...initialChanges, scope, selectedPath: path, file: { kind: 'ready', value: { change, before: text(before), after: text(after), edits: [] } }, diff: { path, count: 1, current: 0 } } })
  return asked
}

const now = (): unknown => getState().why?.now

beforeEach(() => setState({ ...initialShell(), why: null }))

describe('asking why a line is there', () => {
  it('asks for the line where it stands on the disk now', async () => {
    const asked = await showing('one\n', 'one\nthree\n', 'zero\none\nthree\n')
    await askWhy({ side: 'after', line: 2 })
    expect([asked, now(), getState().why?.answer]).toEqual([[['/home/me/shop/src/a.ts', 3]], { kind: 'same', line: 3 }, { kind: 'ready', value: answer }])
  })

  it('asks nothing of a line that the file does not hold any more', async () => {
    const asked = await showing('one\n', 'one\nthree\n', 'one\nfour\n')
    await askWhy({ side: 'after', line: 2 })
    expect([asked, now()]).toEqual([[], { kind: 'gone' }])
  })

  it('takes the side before for the disk where the file is again what it was', async () => {
    const asked = await showing('one\ntwo\n', 'two\n', new ReviewError('FILE_NOT_FOUND', 'It is not among the changes.'))
    await askWhy({ side: 'after', line: 1 })
    expect(asked).toEqual([['/home/me/shop/src/a.ts', 2]])
  })

  it('says that it answers for the file as it is now where the two cannot be compared', async () => {
    const asked = await showing('one\n', 'two\n', new ReviewError('TURN_NOT_FOUND', 'There is no such turn.'))
    await askWhy({ side: 'after', line: 1 })
    expect([asked, now()]).toEqual([[['/home/me/shop/src/a.ts', 1]], { kind: 'unknown', line: 1 }])
  })

  it('compares nothing where the disk is what is shown', async () => {
    const asked = await showing('one\n', 'two\n', new ReviewError('INTERNAL', 'Not asked.'), { kind: 'to-disk', promptId: promptId('p4') })
    await askWhy({ side: 'after', line: 1 })
    expect([asked.length, now()]).toEqual([1, { kind: 'same', line: 1 }])
  })

  it('leads to the turn that wrote it, at its file and hunk', async () => {
    await showing('one\n', 'one\nthree\n', 'one\nthree\n')
    await askWhy({ side: 'after', line: 2 })
    await goToWriter()
    const { why, session, changes } = getState()
    expect([why, session?.selection.turn, changes.goal]).toEqual([null, 'p2', { path, hunk: 2 }])
  })

  it('puts no late answer on the screen once it is closed', async () => {
    await showing('one\n', 'two\n', 'two\n')
    const asking = askWhy({ side: 'after', line: 1 })
    closeWhy()
    await asking
    expect(getState().why).toBeNull()
  })
})

describe('the line that is asked about', () => {
  it('is the one that is pointed at, else the first one of the change', async () => {
    await showing('one\ntwo\n', 'one\nthree\n', '')
    const first = lineToAsk(getState())
    setState(({ changes }) => ({ changes: { ...changes, pointed: { path, side: 'before', line: 1 } } }))
    const pointed = lineToAsk(getState())
    setState(({ changes }) => ({ changes: { ...changes, selectedPath: null } }))
    expect([first, pointed, lineToAsk(getState())]).toEqual([{ side: 'after', line: 2 }, { side: 'before', line: 1 }, null])
  })

  it('moves with what is written over it', () => {
    expect([followLine('a\nb\n', 'x\ny\na\nb\n', 2), followLine('a\nb\nc\n', 'a\nc\n', 3), followLine('a\nb\n', 'a\nB\n', 2)]).toEqual([
      { kind: 'same', line: 4 },
      { kind: 'same', line: 2 },
      { kind: 'gone' },
    ])
  })
})
