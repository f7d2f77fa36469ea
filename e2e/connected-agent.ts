// An agent that works through the app: the MCP client of the SDK over the real `overturn mcp`.

import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { root } from '../build/bootstrap.cjs'
import type { World } from './open-app.js'

/** What a tool answered: the text for the model, and whether it was refused. */
export interface Answer {
  readonly text: string
  readonly isError: boolean
}

export interface ConnectedAgent {
  /** Long enough for any decision in a test. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<Answer>
  readonly close: () => Promise<void>
}

/** Connects as an agent of this name would. `claude-code` waits longest for an answer. */
export async function connectAgent(world: World, { client = 'claude-code', flags = [] }: { readonly client?: string; readonly flags?: readonly string[] } = {}): Promise<ConnectedAgent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'dist', 'cli.cjs'), 'mcp', '--workspace', world.workspace, ...flags],
    env: { ...world.env },
    stderr: 'inherit',
  })
  const agent = new Client({ name: client, version: '1.0' })
  await agent.connect(transport)
  return {
    call: async (name, args) => {
      const { content, isError } = await agent.callTool({ name, arguments: args }, undefined, { timeout: 120_000 })
      const first: unknown = Array.isArray(content) ? content[0] : undefined
      const text = typeof first === 'object' && first !== null && 'text' in first && typeof first.text === 'string' ? first.text : ''
      return { text, isError: isError === true }
    },
    close: () => agent.close(),
  }
}
