import '../ui/base.css'
import { mount } from '../shell/mount.js'
import { getState, setState } from '../state/store.js'
import * as actions from '../state/actions.js'
import { startRewind } from '../state/rewind-actions.js'
import { scriptedAnswers, scriptedPort } from './scripted-host.js'

// The window on the scripted host, for looking at it without services. `?first` starts without a session, `?turns=10000` plays a long one,
// `?readonly` one whose folder is missing. `?approvals` has what the picture shows, `?approvals=all` every kind of question,
// `?approvals=10000` a file of so many lines rewritten. With `&scattered` it has 1,000 hunks.
// `?sessions=5000` has so many sessions, `?step=20` searches each that slowly.
const query = new URLSearchParams(location.search)
const turns = query.get('turns')
const answers = scriptedAnswers({ isOpen: !query.has('first'), turns: turns === null ? null : Number(turns), isReadOnly: query.has('readonly'), approvals: approvalsOf(query.get('approvals')), isScattered: query.has('scattered'), ...numbersOf() })

function numbersOf(): { readonly sessions?: number; readonly searchStepMs?: number } {
  const number = (name: string): number | undefined => (query.has(name) ? Number(query.get(name)) : undefined)
  return { sessions: number('sessions'), searchStepMs: number('step') }
}

function approvalsOf(value: string | null): 'picture' | 'all' | number | undefined {
  if (value === null) return undefined
  return value === '' ? 'picture' : value === 'all' ? 'all' : Number(value)
}

mount(() => Promise.resolve(scriptedPort(answers)))
Object.assign(globalThis, { overturnDemo: { ...actions, startRewind, getState, setState } })
