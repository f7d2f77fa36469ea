import { useEffect, useState } from 'react'
import { reconnectNow } from '../state/actions.js'
import type { Connection } from '../state/shell-slice.js'
import { Icon } from '../ui/icons.js'
import { Button } from '../ui/parts.js'

/** That the host is not heard any more, and when it is tried again. */
export function LostBanner({ connection }: { readonly connection: Extract<Connection, { kind: 'lost' }> }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const seconds = connection.retryAt === null ? 0 : Math.max(0, Math.ceil((connection.retryAt - now) / 1000))
  const next = connection.retryAt === null ? 'Trying again…' : `Next try in ${seconds} s.`
  return (
    <div className="banner" role="status">
      <Icon name="conflict" />
      <span className="grow">
        <b className="b">{connection.isRefused ? 'Overturn was started anew.' : 'The connection to Overturn was lost.'}</b> What you see is the
        last that was heard. {connection.isRefused ? 'To go on, open the address that it printed.' : next}
      </span>
      <Button size="small" onClick={reconnectNow}>
        Reconnect now
      </Button>
    </div>
  )
}
