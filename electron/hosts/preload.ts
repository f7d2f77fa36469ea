import { contextBridge, ipcRenderer } from 'electron'
import { connectChannel, frameChannel } from './channels.js'

// The whole bridge: two functions that carry frames. What a frame may ask is decided on the other side.
ipcRenderer.send(connectChannel)
contextBridge.exposeInMainWorld('overturn', {
  send: (frame: unknown): void => ipcRenderer.send(frameChannel, frame),
  onFrame: (listener: (frame: unknown) => void): void => {
    ipcRenderer.on(frameChannel, (_event, frame: unknown) => listener(frame))
  },
})
