import type { ToolCall } from '../../shared/session.js'
import type { WorkspacePath } from '../../shared/ids.js'
import { loadOutput, setView } from '../state/actions.js'
import { openFile, setScopeKind } from '../state/changes-actions.js'
import { useStore } from '../state/store.js'
import { Icon, type IconName } from '../ui/icons.js'
import { Badge, Button, ErrorState } from '../ui/parts.js'
import { countText, durationText } from '../ui/words.js'
import { argumentsOf, callSubject, editLines } from './transcript-text.js'

const icons: Readonly<Record<ToolCall['kind'], IconName>> = {
  read: 'file',
  edit: 'pencil',
  command: 'command',
  search: 'search',
  subagent: 'agent',
  other: 'dots',
}

interface Props {
  readonly call: ToolCall
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** One tool call: a line that says what it was about; open, its arguments, what it changed, and its result. */
export function Call({ call, isOpen, onToggle }: Props) {
  return (
    <div className="call">
      <button type="button" className="call-head" aria-expanded={isOpen} onClick={onToggle}>
        <Icon name={isOpen ? 'down' : 'right'} size={14} />
        <Icon name={icons[call.kind]} size={14} />
        <span className="b">{call.name}</span>
        <span className="mono ell grow t2">{callSubject(call)}</span>
        <Status call={call} />
      </button>
      {isOpen && <CallBody call={call} />}
    </div>
  )
}

function Status({ call }: { readonly call: ToolCall }) {
  const exit = call.command?.exitCode ?? null
  return (
    <>
      {call.status === 'refused' && <Badge look="del">✕ refused</Badge>}
      {call.status === 'failed' && <Badge look="del">failed{exit === null ? '' : `, exit ${exit}`}</Badge>}
      {call.status === 'running' && <Badge look="acc">running</Badge>}
      {call.status === 'done' && exit !== null && exit !== 0 && <Badge>exit {exit}</Badge>}
      {call.durationMs !== null && <span className="sm t3 num">{durationText(call.durationMs)}</span>}
    </>
  )
}

function CallBody({ call }: { readonly call: ToolCall }) {
  return (
    <div className="call-body">
      {call.edit ? (
        <Edit edit={call.edit} />
      ) : call.command ? (
        <pre className="plain">$ {call.command.text}</pre>
      ) : (
        <Arguments args={call.args} />
      )}
      {call.subagent && (
        <details className="sub-calls">
          <summary>
            {call.subagent.name}: {countText(call.subagent.calls.length, 'call')}
          </summary>
          {call.subagent.calls.map((inner) => (
            <InnerCall key={inner.callId} call={inner} />
          ))}
        </details>
      )}
      <Output call={call} />
    </div>
  )
}

function InnerCall({ call }: { readonly call: ToolCall }) {
  return (
    <details className="call">
      <summary className="call-head">
        <Icon name={icons[call.kind]} size={14} />
        <span className="b">{call.name}</span>
        <span className="mono ell grow t2">{callSubject(call)}</span>
        <Status call={call} />
      </summary>
      <CallBody call={call} />
    </details>
  )
}

function Edit({ edit }: { readonly edit: NonNullable<ToolCall['edit']> }) {
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
      <pre className="plain edit-lines">
        {editLines(edit)
          .slice(0, 2000)
          .map(({ look, text }, at) => (
            <span key={at} className={look}>
              {text}
              {'\n'}
            </span>
          ))}
      </pre>
    </>
  )
}

function Arguments({ args }: { readonly args: string }) {
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

function Output({ call }: { readonly call: ToolCall }) {
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
