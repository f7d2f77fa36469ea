/** More marks than this tell nothing and cost time. */
const marksAtMost = 2000

/**
 * Marks every place of these words inside an element, without touching its nodes.
 * Does nothing where the browser has no highlights of its own: the entries that match are marked as a whole anyway.
 */
export function markFound(root: HTMLElement | null, words: string): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.delete('found')
  const wanted = words.trim().toLowerCase()
  if (!root || wanted === '') return
  const ranges: Range[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node && ranges.length < marksAtMost; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase()
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + wanted.length)
      ranges.push(range)
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges))
}
