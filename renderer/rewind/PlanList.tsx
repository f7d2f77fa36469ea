import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { WorkspacePath } from '../../shared/ids.js'
import type { PlannedFile } from '../../shared/rewind.js'
import { selectPlanned, toggleIncluded } from '../state/rewind-actions.js'
import { useStore } from '../state/store.js'
import { PlanRow } from './PlanRow.js'

export const planRowHeight = 24

const tick = (path: WorkspacePath): void => toggleIncluded(path)

/** Every file that the rewind is about; what needs an answer stands first. */
export function PlanList({ files }: { readonly files: readonly PlannedFile[] }) {
  const selectedPath = useStore((state) => state.rewind.selectedPath)
  const leftOut = useStore((state) => state.rewind.leftOut)
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({ count: files.length, getScrollElement: () => scroller.current, estimateSize: () => planRowHeight, overscan: 12, paddingStart: 5, paddingEnd: 5 })
  const selected = files.findIndex(({ path }) => path === selectedPath)

  useEffect(() => {
    if (selected >= 0) rows.scrollToIndex(selected, { align: 'auto' })
  }, [rows, selected])
  useEffect(() => scroller.current?.focus(), [])

  return (
    <div
      ref={scroller}
      className="plan-list scroll"
      role="listbox"
      tabIndex={0}
      aria-label="Files of the rewind"
      aria-activedescendant={selected >= 0 ? `plan-${selected}` : undefined}
    >
      <div className="rows" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const file = files[index]
          return file && (
            <PlanRow
              key={file.path}
              id={`plan-${index}`}
              file={file}
              place={index + 1}
              count={files.length}
              isSelected={index === selected}
              isLeftOut={leftOut.has(file.path)}
              style={{ transform: `translateY(${start}px)` }}
              onSelect={selectPlanned}
              onTick={tick}
            />
          )
        })}
      </div>
    </div>
  )
}
