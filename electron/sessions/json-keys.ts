import { isExactly, readPair, type PairSpot } from './json-bytes.js'

const openBrace = 123

/** Moves along the pairs of an object, from the one at `at`; false where the key does not stand before another nested value. */
export function findKey(bytes: Buffer, at: number, end: number, key: Buffer, spot: PairSpot): boolean {
  while (at >= 0 && at < end) {
    spot.keyStart = spot.keyEnd = 0
    at = readPair(bytes, at, end, spot)
    if (isExactly(bytes, spot.keyStart, spot.keyEnd, key)) return true
  }
  return false
}

/** The same inside the object that is the present value. */
export function enterValue(bytes: Buffer, end: number, key: Buffer, spot: PairSpot): boolean {
  return bytes[spot.valueStart] === openBrace && findKey(bytes, spot.valueStart + 1, end, key, spot)
}
