import { Popover } from 'radix-ui'
import type { ProblemKind, SessionProblem } from '../../shared/session.js'
import { loadRawLines } from '../state/actions.js'
import type { OpenSession, RawLines } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { Button, ErrorState, LoadingState } from '../ui/parts.js'
import { countText, numberText } from '../ui/words.js'

/** Problems that are not about a record that was not understood. */
const otherKinds: ReadonlySet<ProblemKind> = new Set(['missing-parent', 'parent-cycle', 'missing-backup', 'no-snapshots', 'hostile-path'])

/** What of the log was not understood: a badge, and behind it each kind with its lines. */
export function Problems({ session }: { readonly session: OpenSession }) {
  const { problems, recovered } = session.header
  const rawLines = useStore((state) => state.rawLines)
  const total = problems.reduce((sum, { count }) => sum + count, 0)
  if (total === 0 && recovered === null) return null
  const words = problems.some(({ kind }) => otherKinds.has(kind)) ? `${countText(total, 'problem')} in the log` : `${countText(total, 'record')} not understood`
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <button type="button" className="bdg unk problems-badge">
          {total > 0 ? words : 'rewind recovered'}
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="pop problems" align="start" sideOffset={8} aria-label="Problems of the log">
          {recovered !== null && <p className="problem md">{recovered}</p>}
          {problems.map((problem) => (
            <Problem key={problem.kind} problem={problem} rawLines={rawLines?.problem === problem.kind ? rawLines : null} />
          ))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Problem({ problem, rawLines }: { readonly problem: SessionProblem; readonly rawLines: RawLines | null }) {
  return (
    <section className="problem">
      <div className="row">
        <b className="b num">{numberText(problem.count)}</b>
        <span className="grow md">{problem.detail}</span>
        {problem.lines.length > 0 && !rawLines && (
          <Button size="small" onClick={() => void loadRawLines(problem)}>
            Show lines
          </Button>
        )}
      </div>
      {rawLines && <Lines rawLines={rawLines} />}
    </section>
  )
}

function Lines({ rawLines: { lines } }: { readonly rawLines: RawLines }) {
  if (lines.kind === 'error') return <ErrorState error={lines.error} />
  if (lines.kind !== 'ready') return <LoadingState lines={2} />
  return (
    <ol className="raw-lines scroll" tabIndex={0} aria-label="Raw lines">
      {lines.value.map(({ line, raw, isCut }) => (
        <li key={line}>
          <span className="t3 num">{numberText(line)}</span>
          <code className="mono">
            {raw}
            {isCut && '…'}
          </code>
        </li>
      ))}
    </ol>
  )
}
