import { cancelMap, reloadMap, setPrefs } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import type { OpenSession } from '../state/shell-slice.js'
import { useStore } from '../state/store.js'
import { useReturn } from '../state/use-return.js'
import { Button, EmptyState, ErrorState, LoadingState, ProgressLine, Segments } from '../ui/parts.js'
import { countText } from '../ui/words.js'
import { MapGrid } from './MapGrid.js'
import './map.css'

/** Which file changed in which turn, and how much: one line a file, one column a turn. */
export function MapView() {
  useReturn()
  const session = useStore((state) => state.session)
  if (!session) return null
  const map = valueOf(session.map)
  return (
    <section className="pane paper" data-pane="files" aria-label="Map of files and turns">
      <div className="head">
        <h2>Files × turns</h2>
        {map && (
          <span className="md t3 ell">
            {countText(map.files.length, 'file')}, {countText(map.turns.length, 'turn')}
          </span>
        )}
        <span className="grow" />
        <Legend />
        <Order />
      </div>
      <Body session={session} />
    </section>
  )
}

function Body({ session }: { readonly session: OpenSession }) {
  const progress = useStore((state) => state.mapProgress)
  const { map } = session
  const value = valueOf(map)
  if (value)
    return value.files.length === 0 ? <EmptyState title="No file changed in this session" /> : <MapGrid session={session} map={value} />
  if (map.kind === 'error') return <ErrorState error={map.error} onRetry={reloadMap} />
  if (map.kind === 'idle')
    return (
      <EmptyState
        icon="grid"
        title="The map was not made"
        actions={
          <Button size="small" onClick={reloadMap}>
            Make the map
          </Button>
        }
      />
    )
  return (
    <>
      {progress && (
        <div className="tl-note">
          <ProgressLine title="Making the map" note={progress.label} done={progress.done} total={progress.total} onCancel={cancelMap} />
        </div>
      )}
      <LoadingState label="Making the map" lines={12} />
    </>
  )
}

function Order() {
  const order = useStore((state) => state.prefs.mapOrder)
  return (
    <Segments
      label="Order of the files"
      value={order}
      options={[
        { value: 'path', label: 'By path' },
        { value: 'first-change', label: 'By first change' },
      ]}
      onChange={(mapOrder) => setPrefs({ mapOrder })}
    />
  )
}

function Legend() {
  return (
    <span className="map-legend sm t2" aria-hidden="true">
      lines changed
      {[1, 8, 20, 40, 60].map((lines, at) => (
        <span key={lines} className={`cell l${at + 1}`}>
          {lines}
        </span>
      ))}
      <span className="cell l2 seen" /> seen after shell
      <span className="cell unknown">?</span> unknown
      <span className="cell deleted">D</span> deleted
    </span>
  )
}
