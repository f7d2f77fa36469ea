/** The few globals that every platform of this room has. Seen by this folder's type check only. */
export {}

declare global {
  interface AbortSignal {
    readonly aborted: boolean
    addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
    removeEventListener(type: 'abort', listener: () => void): void
  }
  class AbortController {
    readonly signal: AbortSignal
    abort(): void
  }
}
