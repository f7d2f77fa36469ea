import { describe, expect, it } from 'vitest'
import { browserCommand } from './open-browser.js'

describe('browserCommand', () => {
  const url = 'http://127.0.0.1:4100/?start=abc'
  it.each([
    { platform: 'darwin' as const, env: {}, command: ['open', url] },
    { platform: 'win32' as const, env: {}, command: ['cmd', '/c', 'start', '', url] },
    { platform: 'linux' as const, env: { DISPLAY: ':0' }, command: ['xdg-open', url] },
    { platform: 'linux' as const, env: { WAYLAND_DISPLAY: 'wayland-0' }, command: ['xdg-open', url] },
    { platform: 'linux' as const, env: {}, command: null },
  ])('on $platform with $env is $command', ({ platform, env, command }) => {
    expect(browserCommand(url, platform, env)).toEqual(command)
  })
})
