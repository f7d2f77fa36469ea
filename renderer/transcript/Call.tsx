import type { ToolCall } from '../../shared/session.js'
import { Icon, type IconName } from '../ui/icons.js'
import { Badge } from '../ui/parts.js'
import { countText, durationText } from '../ui/words.js'
import { Arguments, Edit, Output } from './CallParts.js'
import { callSubject } from './transcript-text.js'

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
      {call.edit || call.patch ? (
        [...(call.edit ? [call.edit] : (call.patch ?? []))].map((edit) => <Edit key={edit.path} edit={edit} />)
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
