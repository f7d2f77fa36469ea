import { setPrefs } from '../state/prefs-actions.js'
import { toggleWrap } from '../state/changes-actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { IconButton, Stat } from '../ui/parts.js'
import { countText } from '../ui/words.js'
import { reviewedText, totalsOf } from './file-rows.js'
import { ScopeSwitch } from './ScopeSwitch.js'

/** The scope, its totals, and how the diff is laid out. */
export function ChangesHead({ isNarrow }: { readonly isNarrow: boolean }) {
  const files = useStore((state) => valueOf(state.changes.list))
  const layout = useStore((state) => (isNarrow ? 'inline' : state.prefs.diffLayout))
  const isWrapped = useStore((state) => state.prefs.wrap)
  const totals = totalsOf(files ?? [])
  const reviewed = reviewedText(totals)
  return (
    <div className="head changes-head">
      <h2 className="vh">Changes</h2>
      <ScopeSwitch />
      <span className="grow" />
      {files && (
        <span className="totals md t2" role="status">
          <span className="wide-only">{countText(totals.files, 'file')}</span>
          <span className="wide-only"><Stat stat={totals.stat} /></span>
          {reviewed && <span>{reviewed}</span>}
        </span>
      )}
      <IconButton icon="panes" label="Side by side" keys="V" isOn={layout === 'side'} disabled={isNarrow} onClick={() => setPrefs({ diffLayout: 'side' })} />
      <IconButton icon="lines" label="In one column" keys="V" isOn={layout === 'inline'} onClick={() => setPrefs({ diffLayout: 'inline' })} />
      <IconButton icon="wrap" label="Wrap long lines" keys="W" isOn={isWrapped} onClick={toggleWrap} />
    </div>
  )
}
