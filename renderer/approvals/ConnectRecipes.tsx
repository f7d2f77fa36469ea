import type { ConnectState } from '../../shared/agents.js'
import { setConnecting } from '../state/actions.js'
import type { Connecting } from '../state/agents-slice.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { AgentSign } from '../ui/agents.js'
import { connectSign, recipeView } from './recipe-view.js'
import { Recipe } from './Recipe.js'
import './connect.css'

const none: readonly never[] = []

interface ConnectRecipesProps {
  readonly state: ConnectState
  readonly connecting: Connecting
  /** Without what a command would write, and without advice. */
  readonly isShort?: boolean
}

/** The agents side by side, and of one the exact command, its settings, and whether it has come. */
export function ConnectRecipes({ state, connecting, isShort = false }: ConnectRecipesProps) {
  const agents = useStore((store) => valueOf(store.agents.list) ?? none)
  const view = recipeView(state, connecting.recipe, connecting.transport, agents)
  if (!view) return <p className="t2">No agent is known to this version.</p>
  return (
    <>
      <div className="recipe-tabs" role="tablist" aria-label="Agents">
        {state.recipes.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            aria-selected={id === view.id}
            tabIndex={id === view.id ? 0 : -1}
            onClick={() => setConnecting({ recipe: id })}
            onKeyDown={({ key, currentTarget }) => {
              const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
              const at = state.recipes.findIndex((recipe) => recipe.id === id)
              const next = step === 0 ? undefined : state.recipes[(at + step + state.recipes.length) % state.recipes.length]
              if (!next) return
              setConnecting({ recipe: next.id })
              currentTarget.parentElement?.querySelectorAll('button')[state.recipes.indexOf(next)]?.focus()
            }}
          >
            {id !== 'other' && !isShort && <AgentSign agent={id} />}
            {name}
            {connectSign(id, state.workspace, agents).kind === 'connected' && <span className="live" title="Connected" />}
          </button>
        ))}
      </div>
      <Recipe key={`${view.id} ${connecting.transport}`} view={view} workspace={state.workspace} transport={connecting.transport} httpUrl={state.httpUrl} isShort={isShort} />
    </>
  )
}
