import { describe, expect, it } from 'vitest'
import type { AgentSession, ConnectState } from '../../shared/agents.js'
import { sessionKey } from '../../shared/ids.js'
import { agentOfClient, sessionAgentText } from '../ui/agents.js'
import { modesText } from './agent-words.js'
import { recipeView } from './recipe-view.js'

const agent = (client: string, part: Partial<AgentSession> = {}): AgentSession => ({
  session: sessionKey('0'.repeat(16)), client, clientVersion: '1.0', transport: 'stdio', workspace: '/home/me/shop', isConnected: true, connectedAt: 0, lastCallAt: null, turn: 1, mode: 'ask',
  isPlanApproved: false, isRestOfTurnApproved: false, waiting: 0, taint: { level: 'PUBLIC', reasons: [] }, worktree: null, limits: [], ...part,
})

const way = (name: string): ConnectState['recipes'][number]['stdio'] => ({ command: `${name} add`, config: '{}', file: `${name}.json` })
const state: ConnectState = {
  workspace: '/home/me/shop',
  recipes: [
    { id: 'claude-code', name: 'Claude Code', stdio: way('claude'), http: { ...way('claude'), command: 'claude add http' }, advice: ['one'] },
    { id: 'cursor', name: 'Cursor', stdio: { ...way('cursor'), command: null }, http: way('cursor'), advice: [] },
    { id: 'other', name: 'Another', stdio: way('other'), http: way('other'), advice: [] },
  ],
  httpUrl: null,
  problem: null,
}

describe('a way to connect', () => {
  it('is the one of the chosen agent over the chosen transport', () => {
    expect([recipeView(state, 'claude-code', 'http', [])?.command, recipeView(state, 'cursor', 'stdio', [])?.command, recipeView(state, 'codex', 'stdio', [])?.id]).toEqual([
      'claude add http',
      null,
      'claude-code',
    ])
  })

  it('turns to connected when an agent of its name is there, best in this workspace', () => {
    const sign = (id: 'claude-code' | 'cursor' | 'other', agents: readonly AgentSession[]) => recipeView(state, id, 'stdio', agents)?.sign
    expect([
      sign('claude-code', []),
      sign('claude-code', [agent('claude-code', { workspace: '/elsewhere' })]),
      sign('claude-code', [agent('claude-code', { workspace: '/elsewhere' }), agent('claude-code', { clientVersion: '2.0' })]),
      sign('claude-code', [agent('claude-code', { isConnected: false })]),
      sign('cursor', [agent('claude-code')]),
      sign('other', [agent('claude-code'), agent('my-own-agent')]),
    ]).toEqual([
      { kind: 'waiting' },
      { kind: 'connected', client: 'claude-code', version: '1.0', isHere: false },
      { kind: 'connected', client: 'claude-code', version: '2.0', isHere: true },
      { kind: 'waiting' },
      { kind: 'waiting' },
      { kind: 'connected', client: 'my-own-agent', version: '1.0', isHere: true },
    ])
  })
})

describe('the name of an agent', () => {
  it('is known by how the client calls itself', () => {
    expect(['claude-code', 'qwen-cli-mcp-client', 'codex-mcp-client', 'gemini-cli-mcp-client', 'opencode', 'Visual Studio Code', 'cursor-vscode', 'mine'].map(agentOfClient)).toEqual([
      'claude-code', 'qwen-code', 'codex', 'gemini-cli', 'opencode', 'vscode', 'cursor', 'mine',
    ])
  })

  it('says that a session of ours came through Overturn', () => {
    expect([sessionAgentText({ agent: 'overturn', client: 'claude-code' }), sessionAgentText({ agent: 'qwen-code', client: null }), sessionAgentText({ agent: 'overturn', client: null })]).toEqual([
      'Claude Code through Overturn',
      'qwen-code',
      'Overturn',
    ])
  })
})

describe('how the agents are decided about', () => {
  it('is one sentence', () => {
    expect([
      modesText([]),
      modesText([agent('claude-code')]),
      modesText([agent('claude-code'), agent('qwen')]),
      modesText([agent('claude-code'), agent('qwen', { mode: 'plan' })]),
      modesText([agent('claude-code', { mode: 'review-after' }), agent('qwen', { mode: 'plan' })]),
    ]).toEqual([
      'No agent is connected',
      'Claude Code asks for everything',
      'Both agents ask for everything',
      '1 of 2 agents ask for everything',
      'Both agents differ in what they ask',
    ])
  })
})
