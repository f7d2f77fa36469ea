// An agent that works through the app: the MCP client of the SDK over the real `overturn mcp`.

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

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

export interface AgentOptions {
  /** The built command line. */
  readonly program: string
  readonly workspace: string
  readonly env: Readonly<Record<string, string>>
  readonly client: string
  readonly flags?: readonly string[]
}

/** Connects as an agent of this name would. `claude-code` waits longest for an answer. */
export async function connectMcpAgent({ program, workspace, env, client, flags = [] }: AgentOptions): Promise<ConnectedAgent> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [program, 'mcp', '--workspace', workspace, ...flags], env: { ...env }, stderr: 'inherit' })
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
