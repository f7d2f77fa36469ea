import { describe, expect, it } from 'vitest'
import { defaultPrefs, readPrefs } from './prefs.js'

describe('preferences', () => {
  it('come back as they were kept', () => {
    const kept = { ...defaultPrefs, theme: 'dark', wrap: true, panes: { window: { sessions: 240 } }, lastSession: 'ab' } as const
    expect(readPrefs(JSON.stringify(kept))).toEqual(kept)
  })

  it('fall back one by one where what was kept is missing, damaged or of another type', () => {
    expect([
      readPrefs(null),
      readPrefs('{'),
      readPrefs('[1]'),
      readPrefs('{"theme":"pink","wrap":"yes","singleKeys":false,"panes":{"window":{"sessions":"wide","timeline":300}}}'),
    ]).toEqual([defaultPrefs, defaultPrefs, defaultPrefs, { ...defaultPrefs, singleKeys: false, panes: { window: { timeline: 300 } } }])
  })
})
