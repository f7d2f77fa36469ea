import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ConnectRecipe } from '../../shared/agents.js'
import { connectRecipes } from './connect-recipes.js'

const workspace = mkdtempSync(join(realpathSync(tmpdir()), `overturn it's $HOME "b" é-`))
const command = ['/opt/my node/node', `/x y/d'ist/cli.cjs`]
const httpUrl = 'http://127.0.0.1:47474/mcp?workspace=%2Fmy+work&mode=ask'
const token = 'T_-0'
const headers = { Authorization: `Bearer ${token}` }
const [program, ...first] = command
const args = [...first, 'mcp', '--workspace', workspace]
const recipes = connectRecipes({ workspace, command, httpUrl, token, platform: 'linux' })

afterAll(() => rmSync(workspace, { recursive: true }))

describe('the recipes', () => {
  it('are one for each agent', () => {
    expect(recipes.map(({ id }) => id)).toEqual(['claude-code', 'qwen-code', 'gemini-cli', 'codex', 'opencode', 'cursor', 'vscode', 'other'])
  })

  it('are commands that a shell takes apart into the words that each agent reads', () => {
    const limits = ['--timeout', '600000', '--trust']
    const bearer = `Authorization: Bearer ${token}`
    expect(Object.fromEntries(recipes.flatMap(({ id, stdio }) => (id === 'other' || stdio.command === null ? [] : [[id, runIn(stdio.command)]])))).toEqual({
      'claude-code': [workspace, 'claude', 'mcp', 'add', '-s', 'local', 'overturn', '--', program, ...args],
      'qwen-code': [workspace, 'qwen', 'mcp', 'add', '-s', 'project', ...limits, 'overturn', program, ...args],
      'gemini-cli': [workspace, 'gemini', 'mcp', 'add', ...limits, 'overturn', program, ...args],
      codex: ['/', 'codex', 'mcp', 'add', 'overturn', '--', program, ...args],
      opencode: ['/', 'opencode', 'mcp', 'add', 'overturn', '--', program, ...args],
      vscode: ['/', 'code', '--add-mcp', JSON.stringify({ name: 'overturn', type: 'stdio', command: program, args })],
    })
    expect(Object.fromEntries(recipes.flatMap(({ id, http }) => (http.command === null ? [] : [[id, runIn(http.command)]])))).toEqual({
      'claude-code': [workspace, 'claude', 'mcp', 'add', '-s', 'local', '--transport', 'http', 'overturn', httpUrl, '-H', bearer],
      'qwen-code': [workspace, 'qwen', 'mcp', 'add', '-s', 'project', ...limits, '-t', 'http', '-H', bearer, 'overturn', httpUrl],
      'gemini-cli': [workspace, 'gemini', 'mcp', 'add', ...limits, '-t', 'http', '-H', bearer, 'overturn', httpUrl],
      codex: ['/', 'codex', 'mcp', 'add', 'overturn', '--url', httpUrl, '--bearer-token-env-var', 'OVERTURN_AGENT_TOKEN'],
      opencode: ['/', 'opencode', 'mcp', 'add', 'overturn', '--url', httpUrl, '--header', `Authorization=Bearer ${token}`],
      vscode: ['/', 'code', '--add-mcp', JSON.stringify({ name: 'overturn', type: 'http', url: httpUrl, headers })],
    })
  })

  it('are configurations in the form of each agent', () => {
    const limits = { timeout: 600_000, trust: true }
    const $schema = 'https://opencode.ai/config.json'
    const servers = (server: object): object => ({ mcpServers: { overturn: server } })
    const claude = (server: object): object => ({ projects: { [workspace]: servers(server) } })
    expect(Object.fromEntries(recipes.filter(({ id }) => id !== 'codex').map(({ id, stdio, http }) => [id, [JSON.parse(stdio.config), JSON.parse(http.config)]]))).toEqual({
      'claude-code': [claude({ type: 'stdio', command: program, args, env: {} }), claude({ type: 'http', url: httpUrl, headers })],
      'qwen-code': [servers({ command: program, args, ...limits }), servers({ httpUrl, headers, ...limits })],
      'gemini-cli': [servers({ command: program, args, ...limits }), servers({ url: httpUrl, type: 'http', headers, ...limits })],
      opencode: [
        { $schema, mcp: { overturn: { type: 'local', command: [program, ...args] } } },
        { $schema, mcp: { overturn: { type: 'remote', url: httpUrl, headers } } },
      ],
      cursor: [servers({ command: program, args }), servers({ url: httpUrl, headers })],
      vscode: [{ servers: { overturn: { type: 'stdio', command: program, args } } }, { servers: { overturn: { type: 'http', url: httpUrl, headers } } }],
      other: [servers({ command: program, args }), servers({ url: httpUrl, headers })],
    })
    const codex = recipe('codex')
    expect([tomlTable(codex.stdio.config), tomlTable(codex.http.config)]).toEqual([
      ['[mcp_servers.overturn]', { command: program, args, required: true, default_tools_approval_mode: 'approve' }],
      ['[mcp_servers.overturn]', { url: httpUrl, bearer_token_env_var: 'OVERTURN_AGENT_TOKEN', required: true, default_tools_approval_mode: 'approve' }],
    ])
  })

  it('say how a second question is avoided and how long each agent must wait', () => {
    const says = (id: ConnectRecipe['id'], text: string): boolean => recipe(id).advice.join('\n').includes(text)
    expect([
      says('claude-code', '"allow": ["mcp__overturn__*"]'),
      says('claude-code', '1800000'),
      says('qwen-code', '"trust": true'),
      says('gemini-cli', '"trust": true'),
      says('codex', 'tool_timeout_sec'),
      says('codex', `OVERTURN_AGENT_TOKEN=${token}`),
      says('opencode', '60000'),
    ]).toEqual(Array(7).fill(true))
  })

  it('quote for Windows where that is the system', () => {
    const [claude] = connectRecipes({ workspace: 'C:\\my work\\', command: ['overturn'], httpUrl, token, platform: 'win32' })
    expect(claude?.stdio.command).toBe('cd "C:\\my work\\\\" && claude mcp add -s local overturn -- overturn mcp --workspace "C:\\my work\\\\"')
  })
})

function recipe(id: ConnectRecipe['id']): ConnectRecipe {
  const found = recipes.find((each) => each.id === id)
  if (!found) throw new Error(id)
  return found
}

/** Runs a command from `/` with stand-ins for the agents, which print where they stand and their words. */
function runIn(line: string): string[] {
  const standIns = ['claude', 'qwen', 'gemini', 'codex', 'opencode', 'code'].map((name) => `${name}() { printf '%s\\0' "$PWD" ${name} "$@"; }`)
  const printed = execFileSync('/bin/sh', ['-c', `${standIns.join('\n')}\n${line}`], { cwd: '/', encoding: 'utf8' })
  return printed.split('\0').slice(0, -1)
}

/** A table of strings and lists of strings, whose form JSON shares. */
function tomlTable(text: string): unknown {
  const [head, ...lines] = text.trim().split('\n')
  const pairs = lines.map((line) => /^(\w+) = (.*)$/.exec(line)).map((match) => [match?.[1], JSON.parse(match?.[2] ?? '')] as const)
  return [head, Object.fromEntries(pairs)]
}
