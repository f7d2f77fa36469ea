/** Puts the focus back on the list of the rewind. */
export function leaveText(): void {
  const list = document.querySelector<HTMLElement>('.plan-list')
  if (list) list.focus()
}
