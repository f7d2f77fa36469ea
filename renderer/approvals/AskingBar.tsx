import { useEffect, useRef, type KeyboardEvent } from 'react'
import { isOpen, type Approval } from '../../shared/approval.js'
import { approveAlways, rejectSelected, setAsking } from '../state/actions.js'
import { approvalHindrance } from '../state/approval-view.js'
import type { Asking } from '../state/approvals-slice.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { clientName } from '../ui/agents.js'
import { Button } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { CommandText } from './CommandText.js'
import { RestOfTurn } from './DecisionBar.js'
import { focusList, keepFocus } from './leave-text.js'

/**
 * What is asked back before a decision goes out: a reason, comments, or a confirmation. A text that is being typed keeps its field
 * when the question ends meanwhile, or the next keys would be taken for commands about another one.
 */
export function AskingBar({ entry }: { readonly entry: Approval }) {
  const asking = useStore((state) => state.approvals.asking)
  if (!asking) return null
  if (!isOpen(entry.state) && asking.kind !== 'reject' && asking.kind !== 'comments') return null
  switch (asking.kind) {
    case 'reject':
      return <ReasonField entry={entry} asking={asking} />
    case 'comments':
      return <CommentsField entry={entry} asking={asking} />
    case 'rest-of-turn':
      return <RestOfTurn entry={entry} />
    case 'rule':
      return <RuleQuestion entry={entry} rule={asking.rule} />
  }
}

function ReasonField({ entry, asking }: { readonly entry: Approval; readonly asking: Extract<Asking, { kind: 'reject' }> }) {
  const field = useRef<HTMLInputElement>(null)
  const hindrance = endedReason(entry)
  useEffect(() => {
    field.current?.focus()
    return keepFocus
  }, [])
  const send = (): void => void rejectSelected(asking.text)
  return (
    <form
      className="asking"
      onSubmit={(event) => {
        event.preventDefault()
        if (hindrance === null) send()
      }}
    >
      <label className="reason grow">
        <span className="vh">Reason, told to {clientName(entry.source.client)}</span>
        <input
          ref={field}
          value={asking.text}
          placeholder={`Why not, told to ${clientName(entry.source.client)}. May stay empty.`}
          onChange={(event) => setAsking({ kind: 'reject', text: event.target.value })}
          onKeyDown={(event) => (event.key === 'Enter' && isMod(event) ? event.currentTarget.form?.requestSubmit() : closeOnEscape(event))}
        />
      </label>
      <Button keys="Escape" onClick={() => setAsking(null)}>
        Cancel
      </Button>
      <Button look="danger" type="submit" icon="cross" keys="Enter" disabledReason={hindrance}>
        Reject
      </Button>
    </form>
  )
}

function CommentsField({ entry, asking }: { readonly entry: Approval; readonly asking: Extract<Asking, { kind: 'comments' }> }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const hindrance = endedReason(entry) ?? (asking.text.trim() === '' ? 'Say what is to be different.' : null)
  useEffect(() => {
    field.current?.focus()
    return keepFocus
  }, [])
  const send = (): void => void rejectSelected(asking.text)
  return (
    <div className="asking tall">
      <label className="reason grow">
        <span className="vh">Comments on the plan</span>
        <textarea
          ref={field}
          rows={3}
          value={asking.text}
          placeholder="What is to be different. The agent gets this and plans again."
          onChange={(event) => setAsking({ kind: 'comments', text: event.target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !isMod(event)) closeOnEscape(event)
            else if (hindrance === null) send()
          }}
        />
      </label>
      <Button keys="Escape" onClick={() => setAsking(null)}>
        Cancel
      </Button>
      <Button look="danger" keys="Mod+Enter" disabledReason={hindrance} onClick={send}>
        Send back
      </Button>
    </div>
  )
}

/** Shown before a rule is stored: its exact text, and where it counts. */
function RuleQuestion({ entry, rule }: { readonly entry: Approval; readonly rule: string }) {
  useEffect(() => keepFocus, [])
  const hindrance = useStore(approvalHindrance)
  const workspace = useStore((state) => valueOf(state.agents.list)?.find(({ session }) => session === entry.source.session)?.workspace ?? null)
  return (
    <div className="asking" role="group" aria-label="Store a rule">
      <div className="grow">
        <b className="b">Always allow exactly this command{workspace === null ? '' : ` in ${visibleText(workspace)}`}?</b>
        <pre className="rule-text mono">
          <CommandText command={rule} />
        </pre>
        <span className="md t2">Not one word more or less. The whole command runs now. The rule can be removed under Policy.</span>
      </div>
      <Button keys="Escape" onClick={() => setAsking(null)}>
        Cancel
      </Button>
      <Button look="primary" autoFocus keys="Mod+Enter" disabledReason={hindrance} onClick={() => void approveAlways(rule)}>
        Store the rule and run
      </Button>
    </div>
  )
}

/** Why nothing can be said to an agent any more; `null` while it waits. */
function endedReason({ state }: Approval): string | null {
  return isOpen(state) ? null : 'This question does not wait any more.'
}

function isMod({ ctrlKey, metaKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey
}

function closeOnEscape(event: KeyboardEvent): void {
  if (event.key !== 'Escape') return
  event.stopPropagation()
  event.preventDefault()
  setAsking(null)
  focusList()
}
