import type { ApprovalSubject } from '../../shared/approval.js'
import { Markdown } from '../ui/Markdown.js'
import { Icon } from '../ui/icons.js'
import { visibleText } from '../ui/visible-text.js'
import { countText } from '../ui/words.js'

/** A plan to read, and the files that it names. */
export function PlanBody({ subject }: { readonly subject: Extract<ApprovalSubject, { kind: 'plan' }> }) {
  return (
    <div className="plan-body scroll" tabIndex={0} role="region" aria-label="Plan">
      <div className="plan-text">
        <Markdown text={subject.markdown} />
      </div>
      <aside className="plan-files" aria-label="Files of the plan">
        <h2 className="b">{subject.files.length === 0 ? 'No file is named' : `${countText(subject.files.length, 'file')} named`}</h2>
        <ul>
          {subject.files.map((path) => (
            <li key={path} className="row">
              <Icon name="file" size={14} />
              <span className="ell" title={visibleText(path)}>
                {visibleText(path)}
              </span>
            </li>
          ))}
        </ul>
        <p className="md t2">Approving writes nothing yet. From then on its edits and commands are decided as in “ask for everything”.</p>
      </aside>
    </div>
  )
}
