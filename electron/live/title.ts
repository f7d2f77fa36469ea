const longest = 120

/** The first line of a prompt as a title: hostile text, so nothing in it can hide or turn what stands beside it. */
export function titleOf(text: string): string {
  const line = text.trim().split(/[\n\r\u2028\u2029]/, 1)[0] ?? ''
  const clean = line.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return Array.from(clean.slice(0, longest * 2 + 2)).slice(0, longest).join('')
}
