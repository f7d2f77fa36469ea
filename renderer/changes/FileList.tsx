import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { FileChange } from '../../shared/file-state.js'
import type { WorkspacePath } from '../../shared/ids.js'
import { selectFile, toggleReviewed } from '../state/changes-actions.js'
import { FileRow } from './FileRow.js'

export const rowHeight = 26

const select = (path: WorkspacePath): void => void selectFile(path)
const tick = (path: WorkspacePath): void => void toggleReviewed(path)

/** The files of the scope; only those on the screen are in the page. */
export function FileList({ files, selectedPath }: { readonly files: readonly FileChange[]; readonly selectedPath: WorkspacePath | null }) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({ count: files.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 12 })
  const selected = files.findIndex(({ path }) => path === selectedPath)

  useEffect(() => {
    if (selected >= 0) rows.scrollToIndex(selected, { align: 'auto' })
  }, [rows, selected])

  return (
    <div
      ref={scroller}
      className="file-list scroll"
      role="listbox"
      tabIndex={0}
      aria-label="Changed files"
      aria-activedescendant={selected >= 0 ? `file-${selected}` : undefined}
      data-pane="files"
    >
      <div className="rows" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const change = files[index]
          return change && (
            <FileRow
              key={`${index} ${change.path}`}
              id={`file-${index}`}
              change={change}
              place={index + 1}
              count={files.length}
              isSelected={index === selected}
              style={{ transform: `translateY(${start}px)` }}
              onSelect={select}
              onTick={tick}
            />
          )
        })}
      </div>
    </div>
  )
}
