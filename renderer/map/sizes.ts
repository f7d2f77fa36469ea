/** Pixels of the fixed columns and rows of the map. */
export const fileColumn = 236
export const totalColumn = 104
export const setAsideColumn = 26
export const rowHeight = 28
