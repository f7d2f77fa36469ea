import type { WorkspacePath } from '../../shared/ids.js'
import type { ToolCall } from '../../shared/session.js'
import { loadOutput, setView } from '../state/actions.js'
import { openFile, setScopeKind } from '../state/changes-actions.js'
import { useStore } from '../state/store.js'
import { EditLines } from '../ui/edit-lines.js'
import { Button, ErrorState } from '../ui/parts.js'
import { argumentsOf } from './transcript-text.js'

/** What a call changed, as its record says, and the way to the change itself. */
export function Edit({ edit }: { readonly edit: NonNullable<ToolCall['edit']> }) {
  return (
    <>
      <div className="row">
        <span className="md t2 grow ell">
          {edit.isNewFile ? 'Creates' : edit.change.kind === 'delete' ? 'Deletes' : 'Changes'} <span className="mono">{edit.path}</span>
        </span>
        <Button size="small" icon="pencil" onClick={() => showChange(edit.path)}>
          Show the change
        </Button>
      </div>
      <EditLines edit={edit} />
    </>
  )
}

/** Arguments by name. */
export function Arguments({ args }: { readonly args: string }) {
  return (
    <dl className="args">
      {argumentsOf(args).map(({ name, value }) => (
        <div key={name}>
          {name && <dt className="t2">{name}</dt>}
          <dd>
            <pre className="plain">{value}</pre>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The result; where it was cut, the way to the whole. */
export function Output({ call }: { readonly call: ToolCall }) {
  const whole = useStore((state) => state.session?.transcript?.outputs.get(call.callId))
  const text = whole?.kind === 'ready' ? whole.value : call.output
  if (text === '') return <p className="md t3">No result was recorded</p>
  return (
    <>
      <pre className="plain output" tabIndex={0} role="group" aria-label={`Result of ${call.name}`}>
        {text}
      </pre>
      {whole?.kind === 'error' && <ErrorState error={whole.error} />}
      {call.isOutputCut && whole?.kind !== 'ready' && (
        <Button size="small" onClick={() => void loadOutput(call.callId)}>
          {whole?.kind === 'loading' ? 'Loading…' : 'Show the whole result'}
        </Button>
      )}
    </>
  )
}

/** From a call to the file that it changed, in the changes of this turn. */
function showChange(path: WorkspacePath): void {
  setScopeKind('turn')
  setView('review')
  openFile(path)
}
