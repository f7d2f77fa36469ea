import { describe, expect, it } from 'vitest'
import { ipcRenderer, recorded } from '../testing/fake-electron.js'
import { connectChannel, frameChannel } from './channels.js'
import './preload.js'

interface Bridge {
  send(frame: unknown): void
  onFrame(listener: (frame: unknown) => void): void
}

const bridge = recorded.exposed.get('overturn') as Bridge

describe('preload', () => {
  it('says that a new document is here, then exposes two functions and nothing else', () => {
    expect([recorded.sentToMain, [...recorded.exposed.keys()], Object.keys(bridge)]).toEqual([
      [{ channel: connectChannel, args: [] }],
      ['overturn'],
      ['send', 'onFrame'],
    ])
  })

  it('sends a frame as it is', () => {
    bridge.send({ type: 'cancel', id: 3 })
    expect(recorded.sentToMain.at(-1)).toEqual({ channel: frameChannel, args: [{ type: 'cancel', id: 3 }] })
  })

  it('hands a frame to the page without the event of Electron', () => {
    const seen: unknown[][] = []
    bridge.onFrame((...args) => seen.push(args))
    ipcRenderer.emit(frameChannel, { sender: 'ipc' }, { type: 'ok', id: 3, result: null })
    expect(seen).toEqual([[{ type: 'ok', id: 3, result: null }]])
  })
})
