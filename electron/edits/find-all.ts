/** Where a text was found: the first places, ascending, and how many there are in all. */
export interface Found {
  readonly places: readonly number[]
  readonly count: number
}

/** Above this length V8's own search can take length times length. */
const longestForEngine = 250
const mostByEngine = 100

/**
 * All places where `sought` stands in `text`, those that overlap included; the first `keep` of them are named.
 *
 * Promise: time grows with the two lengths added, whatever they hold. An empty text is found nowhere.
 */
export function findAll(text: string, sought: string, keep: number): Found {
  if (sought === '') return { places: [], count: 0 }
  if (sought.length > longestForEngine) return findLinear(text, sought, keep)
  const places: number[] = []
  for (let at = text.indexOf(sought); at >= 0; at = text.indexOf(sought, at + 1)) {
    places.push(at)
    if (places.length > mostByEngine) return findLinear(text, sought, keep)
  }
  return { places: places.slice(0, keep), count: places.length }
}

/** Knuth, Morris and Pratt: `border[n]` is how much of the first `n` units both begins and ends them. */
function findLinear(text: string, sought: string, keep: number): Found {
  const border = new Int32Array(sought.length + 1)
  for (let end = 1, length = 0; end < sought.length; end++) {
    const unit = sought.charCodeAt(end)
    while (length > 0 && sought.charCodeAt(length) !== unit) length = border[length] ?? 0
    if (sought.charCodeAt(length) === unit) length++
    border[end + 1] = length
  }
  const places: number[] = []
  let count = 0
  for (let at = 0, matched = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && (matched === sought.length || sought.charCodeAt(matched) !== unit)) matched = border[matched] ?? 0
    if (sought.charCodeAt(matched) === unit) matched++
    if (matched < sought.length) continue
    count++
    if (places.length < keep) places.push(at + 1 - sought.length)
  }
  return { places, count }
}
