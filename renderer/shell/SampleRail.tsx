import type { ReactNode } from 'react'
import type { Tick } from '../../shared/timeline.js'
import { Diamond, Node, SideBranch, Ticks } from '../timeline/RailMarks.js'
import { RailSvg } from '../timeline/RailSvg.js'
import type { RailRow } from '../timeline/rail.js'
import { Icon } from '../ui/icons.js'
import { ChurnBars, Stat } from '../ui/parts.js'
import '../timeline/timeline.css'

const edit = (removed: number, added: number, cause: 'edit' | 'command' = 'edit'): Tick => ({
  kind: 'change',
  cause,
  removed,
  added,
  label: '',
})
const ran: Tick = { kind: 'command', label: '' }
const plain: RailRow = { above: 'solid', below: 'solid', isOut: false, bracket: 'none', arc: 'none', hold: 'none' }

const turns = [
  {
    prompt: 'Add a cart with line items',
    at: '09:12',
    files: 3,
    stat: { insertions: 163, deletions: 3 },
    ticks: [edit(0, 64), edit(0, 58), edit(3, 41), ran],
  },
  {
    prompt: 'Use integer cents everywhere',
    at: '09:24',
    files: 4,
    stat: { insertions: 74, deletions: 61 },
    ticks: [edit(15, 18), { kind: 'refused', label: '' }, edit(19, 22), edit(19, 24)] satisfies readonly Tick[],
  },
  {
    prompt: 'Add discounts and vouchers',
    at: '09:58',
    files: 5,
    stat: { insertions: 118, deletions: 22 },
    ticks: [edit(0, 52), edit(11, 38), ran],
  },
  {
    prompt: 'Replace the currency helper',
    at: '11:20',
    files: 8,
    stat: { insertions: 75, deletions: 61 },
    ticks: [edit(0, 46), edit(4, 5), edit(3, 3), edit(38, 0, 'command'), { kind: 'unknown', label: '' }] satisfies readonly Tick[],
  },
]

/** A small timeline with a note on each of its signs: what the sample session will look like. */
export function SampleRail() {
  return (
    <>
      <div className="head">
        <h2>Sample session</h2>
        <span className="md t3">what you will see</span>
      </div>
      <div className="sample scroll">
        <Line title="A node is a prompt snapshot" note="Your files as they were when the turn began.">
          <Turn at={0} rail={{ ...plain, above: 'none' }} />
        </Line>
        <Line title="Ticks are edits" note="Left removed, right added, longer is more. A cross was refused.">
          <Turn at={1} rail={plain} />
        </Line>
        <Line title="Rewinds are entries too" note="Turns set aside stay readable, and every rewind can be undone.">
          <Turn at={2} rail={plain} />
          <div className="tr slim">
            <RailSvg rail={{ ...plain, arc: 'head' }} nodeY={12} ground="var(--bg)">
              <SideBranch isOpen={false} />
            </RailSvg>
            <Icon name="right" size={14} />
            <span className="t3">2 turns set aside</span>
          </div>
          <div className="tr slim">
            <RailSvg rail={{ ...plain, arc: 'foot' }} nodeY={12} ground="var(--bg)">
              <Diamond y={12} isUndone={false} />
            </RailSvg>
            <span className="grow">Rewind to the end of turn 3</span>
            <span className="sm t3">10:31</span>
          </div>
        </Line>
        <Line title="Dashed is seen, not recorded" note="Found by comparing the disk after a shell command.">
          <Turn at={3} rail={plain} />
        </Line>
        <Line title="The playhead is your disk" note="Drag it to a node, or press R, to preview a rewind.">
          <div className="ph-gap" style={{ height: 44 }}>
            <RailSvg rail={{ ...plain, below: 'none' }} nodeY={22} ground="var(--bg)" />
            <div className="ph" style={{ top: 22 }}>
              <svg className="ph-knob" width="18" height="18" viewBox="0 0 18 18" fill="none" aria-hidden="true">
                <circle cx="9" cy="9" r="9" fill="var(--accent)" />
                <path d="M5.5 6.5h7M5.5 9h7M5.5 11.5h7" stroke="var(--accent-ink)" strokeWidth="1.3" />
              </svg>
              <span className="ph-grab">
                <i className="grain" />
                Disk is here
              </span>
            </div>
          </div>
        </Line>
      </div>
    </>
  )
}

function Line({ title, note, children }: { readonly title: string; readonly note: string; readonly children: ReactNode }) {
  return (
    <div className="sample-line">
      <div aria-hidden="true">{children}</div>
      <div className="sample-note">
        <b className="b">{title}</b>
        <span className="t2">{note}</span>
      </div>
    </div>
  )
}

function Turn({ at, rail }: { readonly at: number; readonly rail: RailRow }) {
  const turn = turns[at]
  if (!turn) return null
  return (
    <div className="tr" style={{ minHeight: 72 }}>
      <RailSvg rail={rail} nodeY={14} ground="var(--bg)">
        <Ticks ticks={turn.ticks} isOut={false} />
        <Node look="plain" />
      </RailSvg>
      <div className="p">
        <span className="n">{at + 1}</span>
        <span className="txt">{turn.prompt}</span>
        <span className="when">{turn.at}</span>
      </div>
      <div className="m">
        <span>{turn.files} files</span>
        <Stat stat={turn.stat} />
        <ChurnBars stat={turn.stat} />
      </div>
    </div>
  )
}
