import type { Progress } from '../../shared/rpc.js'
import type { Terminal } from './run-command-line.js'

/** No more often than this, in ms. */
const drawEveryMs = 100

/** Where the errors go, if that is a screen. */
export interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface ProgressLine extends Terminal {
  readonly progress: (now: Progress) => void
  /** Takes the line away. */
  readonly end: () => void
}

/** One line below what a command says, drawn over and taken away again. Where nobody looks on, in a pipe or a file, it is not drawn. */
export function progressLine({ out, note }: Terminal, screen: Screen, now: () => number = Date.now): ProgressLine {
  let drawnAt = -Infinity
  let isDrawn = false
  const end = (): void => {
    if (isDrawn) screen.write('\r\x1b[K')
    isDrawn = false
  }
  return {
    out: (text) => (end(), out(text)),
    note: (text) => (end(), note(text)),
    progress: ({ done, total, label }) => {
      if (screen.isTTY !== true || now() - drawnAt < drawEveryMs) return
      drawnAt = now()
      isDrawn = true
      const count = `${done} of ${total}`
      const whole = `${label}: ${count}`
      // A number that is cut at the edge would be another number.
      screen.write(`\r\x1b[K${whole.length < (screen.columns || 80) ? whole : count}`)
    },
    end,
  }
}
