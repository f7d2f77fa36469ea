/** A list for a sentence: so many names at most, then how many there are more. */
export function fewNames(names: readonly string[], most: number): string {
  const unique = [...new Set(names)]
  return unique.length > most ? `${unique.slice(0, most).join(', ')} and ${unique.length - most} more` : unique.join(', ')
}
