import { at } from './slots.js'

/** Where, on each side, the items stand that occur once on either; as many on one as on the other. */
export function findSingleItems(
  left: Int32Array,
  right: Int32Array,
  idCount: number,
): { readonly left: Int32Array; readonly right: Int32Array } {
  const leftCount = countsOf(left, idCount)
  const rightCount = countsOf(right, idCount)
  const isSingle = (id: number): boolean => leftCount[id] === 1 && rightCount[id] === 1
  return { left: placesOf(left, isSingle), right: placesOf(right, isSingle) }
}

function countsOf(ids: Int32Array, idCount: number): Int32Array {
  const counts = new Int32Array(idCount)
  for (const id of ids) counts[id] = at(counts, id) + 1
  return counts
}

function placesOf(ids: Int32Array, isWanted: (id: number) => boolean): Int32Array {
  const places = new Int32Array(ids.length)
  let count = 0
  for (let i = 0; i < ids.length; i++) if (isWanted(at(ids, i))) places[count++] = i
  return places.slice(0, count)
}
