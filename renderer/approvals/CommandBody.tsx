import type { ApprovalSubject } from '../../shared/approval.js'
import type { CommandPart } from '../../shared/policy.js'
import { setAsking } from '../state/actions.js'
import { approvalHindrance } from '../state/approval-view.js'
import { useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { Button } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { elapsedText } from '../ui/words.js'
import { verdictWords } from './approval-words.js'
import { CommandText } from './CommandText.js'

type Subject = Extract<ApprovalSubject, { kind: 'command' }>

/** A command, and what the policy says of each of its parts. A peek offers nothing, one that is decided no rule. */
export function CommandBody({ subject, isOver = false, isPeek = false }: { readonly subject: Subject; readonly isOver?: boolean; readonly isPeek?: boolean }) {
  const { command, judgement, directory, timeLimitMs, note } = subject
  // What the policy denies cannot run, so no rule is offered with it.
  const rules = isOver || judgement.verdict === 'denied' ? [] : judgement.parts.filter((part) => part.alwaysRule !== null)
  return (
    <div className="command-body">
      <pre className={isPeek ? 'command-line mono peek' : 'command-line mono'}>
        <span className="t3" aria-hidden="true">
          ${' '}
        </span>
        <CommandText command={command} />
      </pre>
      {!isPeek && note !== null && <p className="command-note md t2">{visibleText(note)}</p>}
      {(!judgement.isParsed || judgement.parts.length === 0) && (
        <p className="command-note md">
          <span className="con">
            <Icon name="conflict" size={14} />
            <b className="b">Asks</b>
          </span>
          {visibleText(judgement.reason)}
        </p>
      )}
      {judgement.parts.length > 0 && (
        <ul className="command-parts" aria-label="Parts of the command">
          {(isPeek ? judgement.parts.slice(0, 3) : judgement.parts).map((part, at) => (
            <Part key={at} part={part} />
          ))}
        </ul>
      )}
      {isPeek && judgement.parts.length > 3 && <p className="md t3">and {judgement.parts.length - 3} more</p>}
      {!isPeek && (
        <>
          <dl className="command-facts md">
            <dt>Runs in</dt>
            <dd className="mono">{visibleText(directory)}</dd>
            <dt>Ends after</dt>
            <dd>{elapsedText(timeLimitMs)} at the latest, with everything that it started</dd>
          </dl>
          {rules.length > 0 && (
            <ul className="always" aria-label="Rules that can be stored">
              {rules.map(({ alwaysRule }, at) => alwaysRule !== null && <li key={at}><AlwaysButton rule={alwaysRule} /></li>)}
            </ul>
          )}
        </>
      )}
    </div>
  )
}

function Part({ part }: { readonly part: CommandPart }) {
  const { name, icon } = verdictWords[part.verdict]
  return (
    <li className={`command-part ${part.verdict}`}>
      <span className="verdict">
        <Icon name={icon} />
        {name}
      </span>
      <span className="mono ell" style={{ paddingLeft: Math.min(part.depth, 4) * 14 }} title={visibleText(part.text)}>
        {part.depth > 0 && <span className="t3">↳ </span>}
        <CommandText command={part.text} />
      </span>
      <span className="t2 md part-reason">
        {visibleText(part.reason)}
        {part.ruleId !== null && <span className="t3"> Allowed by a rule of yours.</span>}
      </span>
    </li>
  )
}

function AlwaysButton({ rule }: { readonly rule: string }) {
  const hindrance = useStore(approvalHindrance)
  return (
    <Button look="quiet" className="always-button" disabledReason={hindrance} onClick={() => setAsking({ kind: 'rule', rule })}>
      Always allow exactly
      <span className="mono ell">
        <CommandText command={rule} />
      </span>
    </Button>
  )
}
