import { ReviewError } from '../../shared/errors.js'
import type { Client } from '../api/client.js'

let connected: Client | null = null

/**
 * The client of the open connection.
 * Errors: CONNECTION_LOST while there is none.
 */
export function client(): Client {
  if (!connected)
    throw new ReviewError('CONNECTION_LOST', 'The connection to Overturn was lost. Look at the present state before you try again.')
  return connected
}

/** Called by whoever connects; `null` when the connection ends. */
export function setClient(next: Client | null): void {
  connected = next
}
