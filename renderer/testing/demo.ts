import '../ui/base.css'
import { mount } from '../shell/mount.js'
import { getState, setState } from '../state/store.js'
import * as actions from '../state/actions.js'
import { startRewind } from '../state/rewind-actions.js'
import { scriptedAnswers, scriptedPort } from './scripted-host.js'

// The window on the scripted host, for looking at it without services. `?first` starts without a session, `?turns=10000` plays a long one,
// `?readonly` one whose folder is missing.
const query = new URLSearchParams(location.search)
const turns = query.get('turns')
const answers = scriptedAnswers({ isOpen: !query.has('first'), turns: turns === null ? null : Number(turns), isReadOnly: query.has('readonly') })
mount(() => Promise.resolve(scriptedPort(answers)))
Object.assign(globalThis, { overturnDemo: { ...actions, startRewind, getState, setState } })
