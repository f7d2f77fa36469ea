import { describe, expect, it } from 'vitest'
import { scriptedLibrary } from '../testing/scripted-session.js'
import { foundAgents } from './found-agents.js'

describe('what was found', () => {
  it('is counted for each agent, the newest first, without the sample', () => {
    const withSample = scriptedLibrary.sessions.map((session, at) => (at === 7 ? { ...session, isSample: true } : session))
    expect(
      foundAgents({ ...scriptedLibrary, sessions: withSample }).map(({ agent, sessions, workspaces }) => [agent, sessions, workspaces]),
    ).toEqual([
      ['qwen-code', 5, 2],
      ['overturn', 2, 2],
    ])
  })

  it('tells no problem of one folder while another had sessions', () => {
    const stores = [{ agent: 'qwen-code', folder: '/x', sessions: 0, problem: 'The folder cannot be read.' }]
    expect(foundAgents({ ...scriptedLibrary, stores }).map(({ problem }) => problem)).toEqual([null, null])
  })

  it('names agents whose folders are there but empty, and folders that could not be read', () => {
    const stores = [{ agent: 'qwen-code', folder: '/x', sessions: 0, problem: 'The folder cannot be read.' }]
    const sample = { agent: 'sample', folder: '/y', sessions: 0, problem: null }
    expect(foundAgents({ sessions: [], stores: [...stores, sample], isScanning: false })).toEqual([
      { agent: 'qwen-code', sessions: 0, workspaces: 0, newestAt: null, problem: 'The folder cannot be read.' },
    ])
  })
})
