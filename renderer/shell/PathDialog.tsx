import { Dialog } from 'radix-ui'
import { useState, type FormEvent } from 'react'
import { closeDialog, submitPath } from '../state/actions.js'
import type { Dialog as DialogState } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { errorWords } from '../ui/error-text.js'
import { Button } from '../ui/parts.js'

type Asking = Extract<DialogState, { kind: 'open' | 'attach' }>

/** Asks for a path where the host has no dialog of its own for it. */
export function PathDialog() {
  const dialog = useStore((state) => state.dialog)
  const asking = dialog?.kind === 'open' || dialog?.kind === 'attach' ? dialog : null
  return (
    <Dialog.Root open={asking !== null} onOpenChange={closeDialog}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil" />
        <Dialog.Content className="dialog path-dialog">{asking && <PathForm asking={asking} />}</Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function PathForm({ asking }: { readonly asking: Asking }) {
  const [path, setPath] = useState(asking.kind === 'attach' ? (asking.session.recordedFolder ?? '') : '')
  const words =
    asking.kind === 'open'
      ? {
          title: 'Open a session',
          text: 'Path of a session log, or of a folder that holds logs, on the machine that Overturn runs on.',
          label: 'Path of a log or folder',
          action: 'Open',
        }
      : {
          title: 'Attach a folder',
          text: `“${asking.session.title}” was recorded in a folder that is not here. Rewinding writes into the folder that you attach.`,
          label: 'Path of the folder',
          action: 'Attach the folder',
        }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (path.trim() !== '') void submitPath(path.trim())
  }
  return (
    <form onSubmit={submit}>
      <Dialog.Title asChild>
        <h2 className="dialog-title">{words.title}</h2>
      </Dialog.Title>
      <Dialog.Description className="t2">{words.text}</Dialog.Description>
      <label className="field">
        <span className="md t2">{words.label}</span>
        <input
          value={path}
          onChange={(event) => setPath(event.target.value)}
          autoFocus
          spellCheck={false}
          aria-invalid={asking.error !== null}
          aria-describedby={asking.error ? 'path-error' : undefined}
        />
      </label>
      {asking.error && (
        <p id="path-error" className="del md" role="alert">
          {errorWords(asking.error).title} {errorWords(asking.error).text}
        </p>
      )}
      <div className="row dialog-actions">
        <Button keys="Escape" onClick={closeDialog}>
          Cancel
        </Button>
        <Button look="primary" type="submit" keys="Enter" disabledReason={path.trim() === '' ? 'Type a path first' : null}>
          {asking.busy ? 'Looking…' : words.action}
        </Button>
      </div>
    </form>
  )
}
