// Everything a component may call; each room of it lies in a file of its own.
export * from './connection-actions.js'
export * from './library-actions.js'
export * from './notice-actions.js'
export * from './prefs-actions.js'
export * from './selection-actions.js'
export * from './session-actions.js'
export * from './turn-actions.js'
export * from './view-actions.js'
