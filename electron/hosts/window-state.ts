import { readFile } from 'node:fs/promises'
import { replaceDataFile } from '../base/data-files.js'

/** Where a window stands, in device-independent pixels of the whole desktop. */
export interface WindowBounds {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface WindowState extends WindowBounds {
  readonly isMaximized: boolean
}

const smallest = { width: 900, height: 600 }
const usual = { width: 1440, height: 900 }
/** So much of the title must be on a screen that the window can be dragged. */
const grip = { width: 120, height: 32 }

/**
 * Where a new window opens: as it was left, unless the screen it stood on is gone; then at the usual size, placed by
 * the platform (`x` and `y` absent).
 *
 * Shape: `screens` are the work areas of all screens now.
 */
export function placeWindow(
  saved: WindowState | null,
  screens: readonly WindowBounds[],
): { readonly bounds: Partial<WindowBounds>; readonly isMaximized: boolean } {
  if (saved === null || !screens.some((screen) => holdsGrip(screen, saved))) {
    return { bounds: usual, isMaximized: saved?.isMaximized ?? false }
  }
  const { x, y, width, height, isMaximized } = saved
  return { bounds: { x, y, width: Math.max(width, smallest.width), height: Math.max(height, smallest.height) }, isMaximized }
}

function holdsGrip(screen: WindowBounds, window: WindowBounds): boolean {
  const overlap = Math.min(screen.x + screen.width, window.x + window.width) - Math.max(screen.x, window.x)
  const isTitleOnScreen = window.y >= screen.y && window.y + grip.height <= screen.y + screen.height
  return overlap >= grip.width && isTitleOnScreen
}

/** The state that `saveWindowState` left in `file`; `null` when there is none or it is damaged. */
export async function loadWindowState(file: string): Promise<WindowState | null> {
  try {
    const state: unknown = JSON.parse(await readFile(file, 'utf8'))
    return isWindowState(state) ? state : null
  } catch {
    return null
  }
}

/** Keeps the state for the next start, best effort: a full disk must not keep a window from closing. */
export async function saveWindowState(file: string, state: WindowState): Promise<void> {
  try {
    await replaceDataFile(file, JSON.stringify(state))
  } catch {
    // The next window opens at its usual place.
  }
}

function isWindowState(value: unknown): value is WindowState {
  if (typeof value !== 'object' || value === null) return false
  const state = value as Record<string, unknown>
  const hasBounds = ['x', 'y', 'width', 'height'].every((key) => Number.isSafeInteger(state[key]))
  return hasBounds && typeof state['isMaximized'] === 'boolean'
}
