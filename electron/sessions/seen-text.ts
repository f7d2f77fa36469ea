/**
 * Whether a text can be what a read showed: equal but for what the recorder loses (BOM, `\r` before line ends, blanks at the ends
 * of lines) and for what a hook may have added after it.
 */
export function agreesWithSeen(text: string, seen: string): boolean {
  const shown = asShown(text)
  return seen === shown || seen.startsWith(`${shown}\n\n`)
}

function asShown(text: string): string {
  const withoutBom = text.startsWith('\ufeff') ? text.slice(1) : text
  return withoutBom
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}
