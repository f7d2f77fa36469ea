import { serve, type Port, type ServedMethod } from '../../shared/rpc.js'

/** What the program around the services can do for the person at it. An ability that a host lacks is `null`. */
export interface Host {
  /** Asks for an existing folder; an absolute path, or `null` when the dialog was closed. */
  readonly pickFolder: (() => Promise<string | null>) | null
  /** Asks for an existing file; an absolute path, or `null` when the dialog was closed. */
  readonly pickFile: (() => Promise<string | null>) | null
  /** Shows a file in the platform's file manager. `path` is absolute. */
  readonly reveal: ((path: string) => void) | null
  /** Shows a notification of the system, unless the window has the focus; a click on it brings the window to the front. */
  readonly notify: ((title: string, text: string) => void) | null
}

/** What a host carries to its windows. */
export interface ServedApp {
  readonly methods: ReadonlyMap<string, ServedMethod>
  /** Calls `listener` for each event until the returned function is called. */
  readonly onEvent: (listener: (event: string, payload: unknown) => void) => () => void
  /** Gets what was thrown behind an INTERNAL answer, for the log. */
  readonly onError: (method: string, thrown: unknown) => void
}

/**
 * Serves `app` on one connection until `close` is called; the connection's reads and jobs are aborted then.
 *
 * Shape: `send` writes one frame to the other side; `receive` takes one, unchecked, from it.
 */
export function openConnection(
  app: ServedApp,
  send: Port['send'],
): { readonly receive: (frame: unknown) => void; readonly close: () => void } {
  let receive: (frame: unknown) => void = () => undefined
  let closed: () => void = () => undefined
  const port: Port = {
    send,
    onFrame: (listener) => (receive = listener),
    onClose: (listener) => (closed = listener),
  }
  const sendEvent = serve(port, app.methods, app.onError)
  const stopEvents = app.onEvent(sendEvent)
  return {
    receive: (frame) => receive(frame),
    close: () => {
      stopEvents()
      closed()
    },
  }
}
