import { useEffect, useState, type FormEvent } from 'react'
import { loadConnect, makeWorktree, pickWorkspace, setView } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { errorWords } from '../ui/error-text.js'
import { Icon } from '../ui/icons.js'
import { Button, ErrorState, LoadingState, ProgressLine } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { ConnectRecipes } from './ConnectRecipes.js'
import './connect.css'
import './policy.css'

/** How an agent is told of us: for one workspace, the exact command of each agent, and whether it has come. */
export function ConnectView() {
  const connecting = useStore((state) => state.agents.connecting)
  const { state } = connecting
  const value = valueOf(state)
  const isIdle = state.kind === 'idle'
  useEffect(() => {
    if (isIdle) void loadConnect(null)
  }, [isIdle])
  return (
    <section className="pane paper policy scroll" aria-label="Connect an agent">
      <div className="policy-wrap">
        <header className="policy-head">
          <div className="grow">
            <h1>Connect an agent</h1>
            <p className="t2">It then writes and runs through Overturn: each edit, and each command that does more than read the workspace, waits for your approval. What they change is backed up first and can be rewound.</p>
          </div>
          <Button size="small" icon="back" keys="Escape" onClick={() => setView('approvals')}>
            Approvals
          </Button>
        </header>
        <h2>1 Workspace</h2>
        <Workspace key={connecting.workspace ?? ''} workspace={connecting.workspace} />
        <h2>2 Agent</h2>
        {state.kind === 'error' && <ErrorState error={state.error} onRetry={() => void loadConnect(connecting.workspace)} />}
        {!value && state.kind !== 'error' && <LoadingState label="Looking for the commands" lines={4} />}
        {value && state.kind !== 'error' && (
          <>
            {value.problem !== null && (
              <div className="question-notice warn framed" role="alert">
                <Icon name="conflict" />
                <span>{visibleText(value.problem)}</span>
              </div>
            )}
            <ConnectRecipes state={value} connecting={connecting} />
          </>
        )}
      </div>
    </section>
  )
}

function Workspace({ workspace }: { readonly workspace: string | null }) {
  const [text, setText] = useState(workspace ?? '')
  const canPick = useStore((state) => state.app?.abilities.canPickFolder === true)
  const isChanged = text.trim() !== (workspace ?? '')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (text.trim() !== '') void loadConnect(text.trim())
  }
  return (
    <>
      <form className="row workspace-row" onSubmit={submit}>
        <label className="reason grow">
          <span className="vh">Folder that the agent works in</span>
          <input value={text} placeholder="Folder that the agent works in" spellCheck={false} onChange={(event) => setText(event.target.value)} />
        </label>
        {isChanged && (
          <Button size="small" type="submit" look="primary" keys="Enter">
            Use this folder
          </Button>
        )}
        {canPick && (
          <Button size="small" icon="folder" onClick={() => void pickWorkspace()}>
            Choose…
          </Button>
        )}
      </form>
      <Worktree hasWorkspace={workspace !== null && workspace !== ''} />
    </>
  )
}

function Worktree({ hasWorkspace }: { readonly hasWorkspace: boolean }) {
  const worktree = useStore((state) => state.agents.connecting.worktree)
  switch (worktree.kind) {
    case 'none':
    case 'failed':
      return (
        <div className="worktree">
          <Button size="small" icon="branch" disabledReason={hasWorkspace ? null : 'Choose a workspace first.'} onClick={() => void makeWorktree()}>
            Start in a fresh worktree
          </Button>
          {worktree.kind === 'failed' ? (
            <span className="md del" role="alert">
              {errorWords(worktree.error).title} {errorWords(worktree.error).text}
            </span>
          ) : (
            <span className="md t2">A folder and a branch of its own. What it does stays apart from your files until you merge it.</span>
          )}
        </div>
      )
    case 'making':
      return (
        <div className="worktree tall">
          <ProgressLine title="Making the worktree" note={worktree.progress?.label ?? ''} done={worktree.progress?.done ?? 0} total={worktree.progress?.total ?? null} onCancel={null} />
        </div>
      )
    case 'made':
      return (
        <div className="worktree">
          <Icon name="check" />
          <span className="md">
            <b className="b">A fresh worktree is ready</b> on branch <code className="mono">{visibleText(worktree.branch)}</code>, from{' '}
            <code className="mono">{visibleText(worktree.base.slice(0, 10))}</code>. <span className="t2">The commands below are for it.</span>
            {worktree.filtersLeftOut.length > 0 && (
              <span className="t2">
                {' '}
                The repository brings filters of its own ({visibleText(worktree.filtersLeftOut.join(', '))}). They did not run: their files are as git keeps them.
              </span>
            )}
          </span>
        </div>
      )
  }
}
