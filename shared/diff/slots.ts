/** The number at a place that is known to exist. */
export function at(slots: Int32Array, index: number): number {
  return slots[index] as number
}
