import { describe, expect, it } from 'vitest'
import { readFlags } from './flags.js'

const none = { port: null, opensBrowser: true, workspace: null, sessions: [] }

describe('readFlags', () => {
  it('reads every flag, paths from where the user stands', () => {
    const args = ['--port', '4100', '--no-open', '--workspace', 'code', '--sessions', 'logs', '--sessions=/var/logs']
    expect(readFlags(args, '/home/ada', false)).toEqual({
      kind: 'flags',
      flags: { port: 4100, opensBrowser: false, workspace: '/home/ada/code', sessions: ['/home/ada/logs', '/var/logs'] },
    })
  })

  it('takes nothing for the usual port and an opened browser', () => {
    expect(readFlags([], '/', false)).toEqual({ kind: 'flags', flags: none })
  })

  it.each([['--port', 'x'], ['--port', '65536'], ['--port', '-1'], ['--port'], ['--workspace'], ['--sessions'], ['--unknown'], ['word'], ['--port', '1', '--port=2']])(
    'refuses %s %s',
    (...args) => {
      expect(readFlags(args.filter(Boolean), '/', false).kind).toBe('usage')
    },
  )

  it('passes over what belongs to the window’s browser', () => {
    const args = ['/repo', '--no-sandbox', '--remote-debugging-port=0', '--workspace', 'code']
    expect(readFlags(args, '/', true)).toEqual({ kind: 'flags', flags: { ...none, workspace: '/code' } })
  })

  it.each([['--workspace'], ['--sessions'], ['--port']])('refuses %s without a value in a window too', (flag) => {
    expect(readFlags([flag], '/', true).kind).toBe('usage')
  })
})
