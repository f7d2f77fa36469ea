import { maxLineBytes } from './jsonl.js'
import { cutText, parseObject, textAt } from './json-values.js'

/** What of a record's raw JSON goes into the transcript. */
export const keptRaw = 16_384
const keptPrompt = 1000
const longText = /"(?:text|content|message)":("(?:[^"\\]|\\.)*)/

/** What a transcript shows of a line that is broken or too long: its first bytes, and how long it is where that is not all. */
export function lostRecord(head: Buffer, length: number): { readonly label: 'oversized record' | 'unreadable line'; readonly raw: string } {
  const label = length > maxLineBytes ? 'oversized record' : 'unreadable line'
  if (length <= keptRaw) return { label, raw: head.toString() }
  const end = `\n… (cut, ${length.toLocaleString('en')} bytes in all)`
  return { label, raw: head.toString('utf8', 0, keptRaw - Buffer.byteLength(end)) + end }
}

/** What is shown of a prompt whose record is too long to be parsed: its text, as far as the head has it, and the length of the record. */
export function cutPrompt(head: Buffer, length: number): string {
  const found = longText.exec(head.toString('utf8'))?.[1]
  const text = found === undefined ? null : textAt(parseObject(`{"text":${found}"}`), 'text')
  const size = `${(length / 1e6).toFixed(1)} MB`
  return text === null || text.trim() === '' ? `(a prompt of ${size})` : `${cutText(text, keptPrompt)} … (cut, ${size} in all)`
}
