import { useEffect, useRef } from 'react'
import { openSearch, setSessionFilter } from '../state/actions.js'
import { Icon } from '../ui/icons.js'

/** Words that a session's title, folder, agent or id has; below it the way to what stands inside the sessions. */
export function FilterField({ words }: { readonly words: string }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <div className="tl-find">
      <label className="find">
        <span className="vh">Words of a session</span>
        <input
          ref={field}
          value={words}
          placeholder="Title, folder or id"
          onChange={(event) => setSessionFilter(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.stopPropagation()
            setSessionFilter(null)
          }}
        />
      </label>
      <button type="button" className="search-inside md" aria-keyshortcuts="Control+Shift+F" onClick={() => openSearch(words)}>
        <Icon name="search" size={14} />
        <span className="grow ell">Search all sessions…</span>
      </button>
    </div>
  )
}
