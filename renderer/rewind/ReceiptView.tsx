import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { Receipt } from '../../shared/rewind.js'
import { valueOf } from '../state/loadable.js'
import { openReceipt, redoLast, selectReceiptFile, startRewind, undoOperation } from '../state/rewind-actions.js'
import { useStore } from '../state/store.js'
import { Button, ErrorState, LoadingState } from '../ui/parts.js'
import { countText, durationText, sizeText, splitPath } from '../ui/words.js'
import { copyReceipt } from './copy-receipt.js'
import { ReceiptRow } from './ReceiptRow.js'
import { receiptWords, secondsText } from './rewind-words.js'
import './rewind.css'

const rowHeight = 24

/** What a rewind, undo, redo or take-back did to each file. */
export function ReceiptView() {
  const opened = useStore((state) => state.rewind.receipt)
  if (!opened) return null
  const receipt = valueOf(opened.loaded)
  return (
    <section className="pane paper receipt" aria-label="Receipt">
      {opened.loaded.kind === 'loading' && <LoadingState label="Reading the receipt" />}
      {opened.loaded.kind === 'error' && <ErrorState error={opened.loaded.error} onRetry={() => void openReceipt(opened.operationId)} />}
      {receipt && (
        <>
          <ReceiptHead receipt={receipt} />
          <div className="receipt-row columns" aria-hidden="true">
            <span />
            <span>Result</span>
            <span>File</span>
            <span>Note</span>
            <span>Read back, SHA-256</span>
          </div>
          <ReceiptFiles receipt={receipt} />
        </>
      )}
    </section>
  )
}

function ReceiptHead({ receipt }: { readonly receipt: Receipt }) {
  const undo = useStore((state) => state.session?.header.undo ?? null)
  const redo = useStore((state) => state.session?.header.redo ?? null)
  const target = useStore((state) => state.rewind.receipt?.target ?? null)
  const { title, text } = receiptWords(receipt)
  const open = receipt.files.find(({ result, action }) => result === 'left' && action === 'conflict')
  const names = { rewind: 'this rewind', 'take-back': 'this', undo: 'this undo', redo: 'this redo' } as const
  return (
    <header className="receipt-head">
      <div className="receipt-words">
        <h1>{title}</h1>
        <p className="t2">{text}</p>
        <div className="row">
          {undo?.operationId === receipt.operationId && (
            <Button look="primary" icon="back" keys="Mod+Z" onClick={() => void undoOperation(receipt.operationId)}>Undo {names[receipt.action]}</Button>
          )}
          {receipt.action === 'undo' && redo && <Button look="primary" icon="forward" keys="Mod+Shift+Z" onClick={redoLast}>Redo</Button>}
          {open && target && <Button onClick={() => startRewind(target, open.path)}>Resolve {splitPath(open.path).name}</Button>}
          <Button look="quiet" icon="copy" keys="C" onClick={() => void copyReceipt()}>Copy receipt</Button>
        </div>
      </div>
      <dl className="receipt-facts">
        <dt>Started</dt><dd>{secondsText(receipt.startedAt)}</dd>
        <dt>Took</dt><dd>{durationText(receipt.durationMs)}</dd>
        <dt>Snapshot of before</dt><dd>{countText(receipt.snapshot.files, 'file')}, {sizeText(receipt.snapshot.sizeBytes)}</dd>
        <dt>Files of the agent</dt><dd>untouched</dd>
      </dl>
    </header>
  )
}

function ReceiptFiles({ receipt }: { readonly receipt: Receipt }) {
  const { files } = receipt
  const selectedPath = useStore((state) => state.rewind.receiptPath)
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({ count: files.length, getScrollElement: () => scroller.current, estimateSize: () => rowHeight, overscan: 12, paddingStart: 4, paddingEnd: 4 })
  const selected = files.findIndex(({ path }) => path === selectedPath)
  return (
    <div ref={scroller} className="receipt-list scroll" role="listbox" tabIndex={0} aria-label="Files of the receipt" aria-activedescendant={selected >= 0 ? `receipt-${selected}` : undefined}>
      <div className="rows" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const file = files[index]
          return file && (
            <ReceiptRow key={file.path} id={`receipt-${index}`} file={file} place={index + 1} count={files.length} isSelected={index === selected} style={{ transform: `translateY(${start}px)` }} onSelect={selectReceiptFile} />
          )
        })}
      </div>
    </div>
  )
}
