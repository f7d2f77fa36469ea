/** The preload says that a new document is here; frames after it belong to a new connection. */
export const connectChannel = 'overturn:connect'

/** Carries frames both ways. */
export const frameChannel = 'overturn:frame'
