/** Digits of git's base 85. */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const bytesPerLine = 52

/**
 * The part of a git patch that holds a whole content: its size, and its deflated bytes in base 85.
 *
 * Source: `git help diff` (--binary) and git's own diff.c: a line begins with a letter that counts its bytes, A to Z for
 * 1 to 26, a to z for 27 to 52; groups of four bytes, the last one filled up with zeros, become five digits.
 */
export function literalBlock(size: number, deflated: Uint8Array): string {
  const lines = [`literal ${size}\n`]
  for (let start = 0; start < deflated.length; start += bytesPerLine) {
    const chunk = deflated.subarray(start, start + bytesPerLine)
    lines.push(lengthLetter(chunk.length), base85(chunk), '\n')
  }
  return `${lines.join('')}\n`
}

function lengthLetter(length: number): string {
  return String.fromCharCode(length <= 26 ? 0x40 + length : 0x60 + length - 26)
}

function base85(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 4) {
    let group = 0
    for (let n = 0; n < 4; n++) group = group * 256 + (bytes[i + n] ?? 0)
    let five = ''
    for (let n = 0; n < 5; n++) {
      five = digits.charAt(group % 85) + five
      group = Math.floor(group / 85)
    }
    text += five
  }
  return text
}
