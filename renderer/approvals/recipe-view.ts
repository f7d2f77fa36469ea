import type { AgentSession, ConnectRecipe, ConnectState } from '../../shared/agents.js'
import { agentOfClient } from '../ui/agents.js'

/** One agent's way to us, ready to be shown. */
export interface RecipeView {
  readonly id: ConnectRecipe['id']
  readonly name: string
  /** What is typed into a terminal; `null` where a file is written by hand. */
  readonly command: string | null
  readonly config: string
  readonly file: string
  readonly advice: readonly string[]
  readonly sign: ConnectSign
}

export type ConnectSign =
  | { readonly kind: 'connected'; readonly client: string; readonly version: string | null; readonly isHere: boolean }
  | { readonly kind: 'waiting' }

/** The recipe for an agent over one transport, with whether it has come: first in this workspace, else anywhere. */
export function recipeView(state: ConnectState, id: ConnectRecipe['id'], transport: 'stdio' | 'http', agents: readonly AgentSession[]): RecipeView | null {
  const recipe = state.recipes.find((one) => one.id === id) ?? state.recipes[0]
  if (!recipe) return null
  return { id: recipe.id, name: recipe.name, ...recipe[transport], advice: recipe.advice, sign: connectSign(recipe.id, state.workspace, agents) }
}

/** Whether an agent of this kind is connected. `other` stands for all that no recipe names. */
export function connectSign(id: ConnectRecipe['id'], workspace: string, agents: readonly AgentSession[]): ConnectSign {
  const named: ReadonlySet<string> = new Set(['claude-code', 'qwen-code', 'gemini-cli', 'codex', 'opencode', 'cursor', 'vscode'])
  const fits = ({ client, isConnected }: AgentSession): boolean => isConnected && (id === 'other' ? !named.has(agentOfClient(client)) : agentOfClient(client) === id)
  const own = agents.filter(fits)
  const here = own.find((agent) => agent.workspace === workspace)
  const found = here ?? own[0]
  return found ? { kind: 'connected', client: found.client, version: found.clientVersion, isHere: here !== undefined } : { kind: 'waiting' }
}
