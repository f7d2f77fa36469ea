import { useEffect, useState } from 'react'
import { ConnectRecipes } from '../approvals/ConnectRecipes.js'
import { chooseLog, loadConnect, loadLibrary, openSample, showConnect } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { AgentSign, agentName } from '../ui/agents.js'
import { Button, ErrorState, LoadingState } from '../ui/parts.js'
import { countText, whenText } from '../ui/words.js'
import { foundAgents, openNewestOf } from './found-agents.js'
import { SampleRail } from './SampleRail.js'

/** What someone sees who has no session open: what the app is for, the sample, and what was found here. */
export function FirstRun() {
  return (
    <div className="first-run">
      <section className="pane paper first-left scroll" aria-labelledby="first-title">
        <div className="first-wrap">
          <h1 id="first-title">See every turn. Take any of it back.</h1>
          <p>
            Overturn shows what a coding agent changed, turn by turn, and restores your files to any point without losing what you typed
            since.
          </p>
          <div className="row first-actions">
            <Button look="primary" size="big" icon="play" keys="Enter" autoFocus onClick={() => void openSample()}>
              Open the sample session
            </Button>
            <Button size="big" keys="O" onClick={() => void chooseLog()}>
              Open a session file…
            </Button>
          </div>
          <Found />
          <Connect />
        </div>
      </section>
      <section className="pane bg first-right" aria-label="What you will see">
        <SampleRail />
      </section>
    </div>
  )
}

/** The command for each agent, for the workspace that the host takes; the whole screen has the rest. */
function Connect() {
  const connecting = useStore((state) => state.agents.connecting)
  const isIdle = connecting.state.kind === 'idle'
  const value = valueOf(connecting.state)
  useEffect(() => {
    if (isIdle) void loadConnect(null)
  }, [isIdle])
  return (
    <>
      <div className="row found-head">
        <h2 className="b">Connect an agent</h2>
        <span className="md t2 grow">its edits wait here for your approval</span>
        <Button size="small" look="quiet" onClick={() => showConnect()}>
          Workspace, worktree, settings…
        </Button>
      </div>
      {value && <ConnectRecipes state={value} connecting={connecting} isShort />}
    </>
  )
}

function Found() {
  const library = useStore((state) => state.library)
  const [now] = useState(Date.now)
  const list = valueOf(library)
  if (library.kind === 'error') return <ErrorState error={library.error} onRetry={() => void loadLibrary()} />
  if (!list) return <LoadingState label="Looking for sessions" lines={3} />
  const agents = foundAgents(list)
  return (
    <>
      <div className="row found-head">
        <h2 className="b">Found on this computer</h2>
        <span className="md t2">{list.isScanning ? 'still looking…' : 'read only, nothing was changed'}</span>
      </div>
      <ul className="found">
        {agents.map(({ agent, sessions, workspaces, newestAt, problem }, at) => (
          <li key={agent}>
            <AgentSign agent={agent} />
            <span className="b">{agentName(agent)}</span>
            <span className="t2 ell" title={problem ?? undefined}>
              {problem ??
                (sessions === 0 ? 'No session yet' : `${countText(sessions, 'session')} in ${countText(workspaces, 'workspace')}`)}
            </span>
            <span className="t2 md num right">{newestAt === null ? '' : whenText(newestAt, now)}</span>
            {sessions > 0 ? (
              <Button size="small" keys={at < 9 ? String(at + 1) : null} onClick={() => openNewestOf(agent)}>
                Open {sessions}
              </Button>
            ) : (
              <span />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
