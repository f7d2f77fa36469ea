import { join } from 'node:path'
import { root } from '../build/bootstrap.cjs'
import { connectMcpAgent, type ConnectedAgent } from '../electron/testing/mcp-agent.js'
import type { World } from './open-app.js'

export type { ConnectedAgent } from '../electron/testing/mcp-agent.js'

/** Connects an agent of this name to the app of a test. */
export async function connectAgent({ workspace, env }: World, { client = 'claude-code', flags = [] }: { readonly client?: string; readonly flags?: readonly string[] } = {}): Promise<ConnectedAgent> {
  return connectMcpAgent({ program: join(root, 'dist', 'cli.cjs'), workspace, env, client, flags })
}
