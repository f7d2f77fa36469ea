import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadWindowState, placeWindow, saveWindowState } from './window-state.js'

const screens = [
  { x: 0, y: 0, width: 1920, height: 1080 },
  { x: 1920, y: -200, width: 2560, height: 1440 },
]
const usual = { bounds: { width: 1440, height: 900 }, isMaximized: false }
const saved = { x: 100, y: 50, width: 1200, height: 800, isMaximized: false }

describe('placeWindow', () => {
  it.each([
    { what: 'at the usual size the first time', state: null, place: usual },
    { what: 'where it was', state: saved, place: { bounds: { x: 100, y: 50, width: 1200, height: 800 }, isMaximized: false } },
    {
      what: 'where it was on a second screen, maximized',
      state: { ...saved, x: 2000, y: -150, isMaximized: true },
      place: { bounds: { x: 2000, y: -150, width: 1200, height: 800 }, isMaximized: true },
    },
    { what: 'at the usual place when its screen is gone', state: { ...saved, x: 5000 }, place: usual },
    { what: 'at the usual place when only its edge is on a screen', state: { ...saved, x: -1100 }, place: usual },
    { what: 'at the usual place when its title is above the screen', state: { ...saved, y: -300 }, place: usual },
    { what: 'no smaller than fits its panes', state: { ...saved, width: 10, height: 10, x: 0, y: 0 }, place: usual },
  ])('opens a window $what', ({ state, place }) => {
    expect(placeWindow(state, screens)).toEqual(place)
  })

  it('widens a window that was saved too small', () => {
    expect(placeWindow({ ...saved, width: 300, height: 200 }, screens).bounds).toEqual({ x: 100, y: 50, width: 900, height: 600 })
  })
})

describe('window state file', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'overturn-window-state-'))
  })
  afterEach(async () => {
    await rm(folder, { recursive: true })
  })

  it('loads what was saved', async () => {
    await saveWindowState(join(folder, 'window.json'), saved)
    expect(await loadWindowState(join(folder, 'window.json'))).toEqual(saved)
  })

  it.each(['', '{', 'null', '{"x":1}', '{"x":1,"y":1,"width":"9","height":9,"isMaximized":true}'])('takes %j for no state', async (text) => {
    await writeFile(join(folder, 'window.json'), text)
    expect(await loadWindowState(join(folder, 'window.json'))).toBeNull()
  })

  it('does not keep a window from closing when it cannot be saved', async () => {
    await expect(saveWindowState(join(folder, 'missing', 'window.json'), saved)).resolves.toBeUndefined()
  })
})
