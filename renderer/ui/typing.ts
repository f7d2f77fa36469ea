/** Whether the focus is in a text that can be written, outside a dialog: undo and Escape belong to the text then. */
export function isTyping(): boolean {
  const field = globalThis.document?.activeElement?.closest('.monaco-editor, input, textarea') ?? null
  return field !== null && field.closest('[data-single-keys], [role=dialog]') === null
}
