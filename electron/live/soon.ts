/** Calls `tell` once, soon after the first of several calls. */
export function soon(ms: number, tell: () => void): { readonly tell: () => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | null = null
  return {
    tell: () => {
      timer ??= setTimeout(() => {
        timer = null
        tell()
      }, ms)
    },
    end: () => {
      if (timer) clearTimeout(timer)
      timer = null
    },
  }
}
