import { Dialog } from 'radix-ui'
import { useMemo, useState, type KeyboardEvent } from 'react'
import { closeDialog, findInSession, openSearch } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { getState, useStore } from '../state/store.js'
import { Icon } from '../ui/icons.js'
import { Kbd } from '../ui/parts.js'
import { commandItems, hitItem, markWords, placeItems, searchId, searchItem, sessionItems, type PaletteItem } from './palette-items.js'
import { commands } from './shell-commands.js'

/** Files, turns and commands of the session, other sessions, and everything that the window can do. */
export function Palette() {
  const isOpen = useStore((state) => state.dialog?.kind === 'palette')
  return (
    <Dialog.Root open={isOpen} onOpenChange={closeDialog}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil" />
        <Dialog.Content className="dialog palette" aria-describedby={undefined}>
          <Dialog.Title className="vh">Find or run</Dialog.Title>
          <Search />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Search() {
  const dialog = useStore((state) => (state.dialog?.kind === 'palette' ? state.dialog : null))
  const [at, setAt] = useState(0)
  const text = dialog?.text ?? ''
  const hits = dialog ? valueOf(dialog.hits) : null
  const items = useMemo(() => {
    // Commands are judged as if the palette were closed, since it closes before one runs.
    const runnable = commandItems(commands, { ...getState(), dialog: null }, text)
    const found = (hits ?? []).map(hitItem)
    if (text.trim() === '') return runnable
    const { library, session } = getState()
    const { sessions, stores } = valueOf(library) ?? { sessions: [], stores: [] }
    return [...found.slice(0, 40), ...runnable, ...sessionItems(sessions, session?.key ?? null, text), ...placeItems(stores, text), searchItem(text)]
  }, [text, hits])
  const current = Math.min(at, items.length - 1)
  const run = (item: PaletteItem | undefined): void => {
    if (!item) return
    closeDialog()
    item.run()
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt((current + 1) % Math.max(1, items.length))
    else if (event.key === 'ArrowUp') setAt((current - 1 + items.length) % Math.max(1, items.length))
    else if (event.key === 'F' && event.shiftKey && (event.ctrlKey || event.metaKey)) openSearch(text)
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      // What the session itself has may still be on its way.
      if (items[current]?.id !== searchId || dialog?.hits.kind !== 'loading') run(items[current])
    } else return
    event.preventDefault()
  }
  return (
    <>
      <div className="palette-field">
        <Icon name="search" />
        <input
          autoFocus
          value={text}
          aria-label="Find or run"
          placeholder="Find or run"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={items[current] ? `palette-${current}` : undefined}
          spellCheck={false}
          onChange={(event) => {
            setAt(0)
            void findInSession(event.target.value)
          }}
          onKeyDown={handleKey}
        />
        <span className="sm t3">files, turns, commands, sessions</span>
      </div>
      <div className="palette-list scroll" id="palette-list" role="listbox" aria-label="What was found">
        {items.map((item, index) => (
          <Line key={item.id} item={item} index={index} words={text} isOn={index === current} onChoose={() => run(item)} />
        ))}
      </div>
      {items.every(({ id }) => id === searchId) && <p className="palette-none t2">{dialog?.hits.kind === 'loading' ? 'Looking…' : 'Nothing has these words.'}</p>}
    </>
  )
}

interface LineProps {
  readonly item: PaletteItem
  readonly index: number
  readonly words: string
  readonly isOn: boolean
  readonly onChoose: () => void
}

function Line({ item, index, words, isOn, onChoose }: LineProps) {
  return (
    <div
      id={`palette-${index}`}
      role="option"
      aria-selected={isOn}
      className={isOn ? 'palette-line on' : 'palette-line'}
      onClick={onChoose}
      ref={isOn ? (line) => line?.scrollIntoView({ block: 'nearest' }) : undefined}
    >
      <Icon name={item.icon} size={14} />
      <span className="ell grow">
        {markWords(item.text, words).map((part, at) =>
          part.isHit ? (
            <b key={at} className="hit">
              {part.text}
            </b>
          ) : (
            part.text
          ),
        )}
      </span>
      {item.note && <span className="sm t2">{item.note}</span>}
      {item.keys && <Kbd keys={item.keys} />}
    </div>
  )
}
