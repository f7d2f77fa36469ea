import { useMemo, type KeyboardEvent, type ReactNode } from 'react'
import { searchKinds } from '../../shared/search.js'
import type { AgentName } from '../../shared/session.js'
import { clearSearchForm, focusField, setSearchForm } from '../state/actions.js'
import { valueOf } from '../state/loadable.js'
import { useStore } from '../state/store.js'
import { AgentSign, agentNames, agentFilterName } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { Button, PaneHead, Tick } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { folderName } from '../ui/words.js'
import { kindWords } from './search-rows.js'

/** What narrows the search. Nothing ticked means: everything. */
export function Filters() {
  const form = useStore((state) => state.search.form)
  const sessions = useStore((state) => valueOf(state.library)?.sessions ?? null)
  const agents = useMemo(() => agentNames.filter((agent) => sessions === null || sessions.some((session) => session.agent === agent)), [sessions])
  const folders = useMemo(() => foldersOf((sessions ?? []).map(({ workspace, recordedFolder }) => workspace ?? recordedFolder)), [sessions])
  const isNarrowed = form.agents.length + form.kinds.length > 0 || form.workspace !== null || form.path !== '' || form.from !== '' || form.to !== ''
  return (
    <section className="pane bg" data-pane="filters" aria-label="Filters" onKeyDown={toField}>
      <PaneHead title="Filters">
        {isNarrowed && <Button size="small" look="quiet" onClick={clearSearchForm}>Clear</Button>}
      </PaneHead>
      <div className="scroll grow filters">
        <Choice title="Found in" note={form.kinds.length === 0 ? 'all' : null}>
          {searchKinds.map((kind) => (
            <Line key={kind} name={kindWords[kind].many} isOn={form.kinds.includes(kind)} onChange={() => setSearchForm({ kinds: toggled(form.kinds, kind) })}>
              <Icon name={kindWords[kind].icon} size={14} />
            </Line>
          ))}
        </Choice>
        <Choice title="Agent" note={form.agents.length === 0 ? 'all' : null}>
          {agents.map((agent: AgentName) => (
            <Line key={agent} name={agentFilterName(agent)} isOn={form.agents.includes(agent)} onChange={() => setSearchForm({ agents: toggled(form.agents, agent) })}>
              <AgentSign agent={agent} />
            </Line>
          ))}
        </Choice>
        <label className="filter-field">
          <span className="b">Folder</span>
          <select value={form.workspace ?? ''} title={form.workspace ?? undefined} onChange={({ target }) => setSearchForm({ workspace: target.value === '' ? null : target.value })}>
            <option value="">All folders</option>
            {folders.map((folder) => <option key={folder} value={folder}>{visibleText(folderName(folder))} — {visibleText(folder)}</option>)}
          </select>
        </label>
        <label className="filter-field">
          <span className="b">Touched this path</span>
          <input value={form.path} spellCheck={false} placeholder="src/checkout or tax.ts" onChange={({ target }) => setSearchForm({ path: target.value })} />
        </label>
        <div className="filter-days">
          <Day name="From" value={form.from} onChange={(from) => setSearchForm({ from })} />
          <Day name="To" value={form.to} onChange={(to) => setSearchForm({ to })} />
        </div>
      </div>
    </section>
  )
}

/** Escape in a field of the form goes back to the words. */
function toField(event: KeyboardEvent): void {
  if (event.key === 'Escape' && event.target instanceof HTMLInputElement) focusField()
}

function Choice({ title, note, children }: { readonly title: string; readonly note: string | null; readonly children: ReactNode }) {
  return (
    <fieldset className="filter-choice">
      <legend><b className="b">{title}</b> {note !== null && <span className="t3">{note}</span>}</legend>
      {children}
    </fieldset>
  )
}

interface LineProps {
  readonly name: string
  readonly isOn: boolean
  readonly onChange: () => void
  readonly children: ReactNode
}

function Line({ name, isOn, onChange, children }: LineProps) {
  return (
    <div className="filter-line" onClick={onChange}>
      <Tick label={name} checked={isOn} onChange={onChange} />
      {children}
      <span className="ell">{name}</span>
    </div>
  )
}

function Day({ name, value, onChange }: { readonly name: string; readonly value: string; readonly onChange: (day: string) => void }) {
  return (
    <label className="filter-field">
      <span className="b">{name}</span>
      <input type="date" value={value} onChange={({ target }) => onChange(target.value)} />
    </label>
  )
}

function toggled<Value>(values: readonly Value[], value: Value): readonly Value[] {
  return values.includes(value) ? values.filter((one) => one !== value) : [...values, value]
}

function foldersOf(folders: readonly (string | null)[]): readonly string[] {
  return [...new Set(folders.filter((folder) => folder !== null))].sort((a, b) => folderName(a).localeCompare(folderName(b)) || a.localeCompare(b))
}
