import { isOpen, type Approval } from '../../shared/approval.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { agentOfClient, AgentSign, clientName } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { useNow } from '../ui/use-now.js'
import { visibleText } from '../ui/visible-text.js'
import { clockText, elapsedText, folderName } from '../ui/words.js'
import { waitText, wantsText } from './approval-words.js'
import { HunkNav } from './EditHead.js'
import { TaintBadge } from './TaintBadge.js'

/** Who asks for what, since when, and what the answer is bound to. */
export function QuestionHead({ entry, isNarrow }: { readonly entry: Approval; readonly isNarrow: boolean }) {
  const { source, subject, state } = entry
  const now = useNow(1_000)
  const agent = useStore((store) => valueOf(store.agents.list)?.find(({ session }) => session === source.session) ?? null)
  const isWaiting = isOpen(state)
  return (
    <header className="question-head" data-one-row={subject.kind === 'command' || undefined}>
      <div className="grow">
        <div className="row">
          <AgentSign agent={agentOfClient(source.client)} />
          <h1 className="ell" title={wantsText(entry)}>
            {wantsText(entry)}
          </h1>
          {subject.kind === 'command' && (
            <span className="md t3 ell">
              in <span title={visibleText(subject.directory)}>{visibleText(folderName(subject.directory))}</span>, at most {elapsedText(subject.timeLimitMs)}
            </span>
          )}
        </div>
        <div className="question-facts md t2">
          <span className="ell" title={`${clientName(source.client)} ${visibleText(source.clientVersion ?? '')}, ${visibleText(source.tool)}`}>
            {visibleText(source.title)}, turn {source.turn}
          </span>
          {isWaiting ? (
            <>
              <span className="num">waiting {elapsedText(now - entry.askedAt)}</span>
              <span className="num">{waitText(entry, now)}</span>
            </>
          ) : (
            <span>asked at {clockText(entry.askedAt)}</span>
          )}
          {agent && <TaintBadge agent={agent} />}
        </div>
      </div>
      {!isNarrow && subject.kind === 'edit' && subject.files.length === 1 && subject.files[0] && <HunkNav entry={entry} file={subject.files[0]} />}
      {isWaiting && subject.kind === 'edit' && (
        <span title="Only what is shown here can be written. If a file on the disk changes first, nothing is written and you are asked again." className="bdg bound">
          <Icon name="lock" size={14} />
          Bound to this content
        </span>
      )}
      {isWaiting && subject.kind === 'command' && <Asks entry={entry} />}
    </header>
  )
}

/** How many parts of a command ask. */
export function Asks({ entry: { subject } }: { readonly entry: Approval }) {
  if (subject.kind !== 'command') return null
  const { parts, isParsed } = subject.judgement
  const asks = parts.filter(({ verdict }) => verdict === 'asks').length
  return <span className="md t2 num">{isParsed ? `${asks} of ${parts.length} ${parts.length === 1 ? 'part' : 'parts'} ${asks === 1 ? 'asks' : 'ask'}` : 'could not be parsed'}</span>
}
