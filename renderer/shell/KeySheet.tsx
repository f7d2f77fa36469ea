import { Dialog } from 'radix-ui'
import { closeDialog } from '../state/actions.js'
import type { Command, CommandGroup } from '../state/command.js'
import { useStore } from '../state/store.js'
import { IconButton, Kbd } from '../ui/parts.js'
import { commands } from './shell-commands.js'

const groups: readonly CommandGroup[] = ['Go to', 'Timeline', 'Changes', 'Rewind', 'Map', 'Approvals', 'Transcript', 'Search', 'Window']

/** Every key, by the part of the window it belongs to. */
export function KeySheet() {
  const isOpen = useStore((state) => state.dialog?.kind === 'keys')
  const isFirstRun = useStore((state) => state.session === null)
  return (
    <Dialog.Root open={isOpen} onOpenChange={closeDialog}>
      <Dialog.Portal>
        <Dialog.Overlay className="veil" />
        <Dialog.Content className="dialog key-sheet" aria-describedby={undefined}>
          <div className="head">
            <Dialog.Title asChild>
              <h2>All keys</h2>
            </Dialog.Title>
            <span className="grow" />
            <IconButton icon="cross" label="Close" keys="Escape" onClick={closeDialog} />
          </div>
          <div className="scroll key-groups" tabIndex={0} role="region" aria-label="All keys">
            {groups.map((group) => (
              <Group
                key={group}
                name={group}
                list={unique(
                  commands.filter(
                    (command) => command.group === group && command.keys.length > 0 && (isFirstRun || !command.id.startsWith('first.')),
                  ),
                )}
              />
            ))}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Group({ name, list }: { readonly name: string; readonly list: readonly Command[] }) {
  if (list.length === 0) return null
  return (
    <section>
      <h3 className="b">{name}</h3>
      {list.map(({ id, label, keys }) => (
        <div key={id} className="key-line">
          <span className="grow">{label}</span>
          {keys.slice(0, 2).map((key) => (
            <Kbd key={key} keys={key} />
          ))}
          {id === numbered && (
            <>
              <span className="t3">to</span>
              <Kbd keys="9" />
            </>
          )}
        </div>
      ))}
    </section>
  )
}

/** One line stands for the keys 1 to 9. */
const numbered = 'first.agent-1'

/** Commands that say the same with the same key stand for one another in different panes. */
function unique(list: readonly Command[]): readonly Command[] {
  const seen = new Set<string>()
  return list.filter(({ id, label, keys }) => {
    const name = id.startsWith('first.agent-') ? label : `${label} ${keys[0]}`
    return !seen.has(name) && seen.add(name)
  })
}
