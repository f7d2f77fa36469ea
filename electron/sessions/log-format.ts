import { claudeSniffer } from './claude-sniff.js'
import { codexSniffer, codexSnifferFor } from './codex-sniff.js'
import { markLength } from './json-bytes.js'
import { isObject, listAt, objectAt, parseObject, textAt, type JsonObject } from './json-values.js'
import { qwenSniffer } from './qwen-sniff.js'
import type { LogFormat, RecordSniffer } from './record-sniff.js'

const sniffers: readonly RecordSniffer[] = [qwenSniffer, claudeSniffer, codexSniffer]

/** How much of a log is looked at to tell its format. */
export const formatHeadBytes = 1 << 16
/** The same, a piece at a time: the first tells most, the last how prompts are told in a log whose first one is long. */
export const formatHeadSteps: readonly number[] = [4096, formatHeadBytes, 1 << 20]
const looks = 64
const openingBytes = 200

/** Whose records a log holds, by its first bytes, `null` where none is known here; and whether more bytes could tell something else. */
export function tellFormat(head: Buffer): { readonly sniffer: RecordSniffer | null; readonly isSure: boolean } {
  const spot = { idStart: 0, parentStart: 0, sessionStart: 0 }
  let start = markLength(head)
  for (let looked = 0; looked < looks && start < head.length; looked++) {
    const close = head.indexOf(10, start)
    const end = close < 0 ? head.length : close
    // The first bytes alone are sure for this one, also where a first line is longer than the head.
    if (qwenSniffer.sniff(head, start, end, spot) !== null) return { sniffer: qwenSniffer, isSure: true }
    const record = parseObject(head.toString('utf8', start, end))
    const format = record ? formatOf(record) : close < 0 ? formatOfOpening(head.toString('latin1', start, start + openingBytes)) : null
    const sniffer = sniffers.find((each) => each.format === format)
    if (sniffer === codexSniffer) {
      const told = codexSnifferFor(head)
      return { sniffer: told ?? codexSniffer, isSure: told !== null }
    }
    if (sniffer) return { sniffer, isSure: true }
    start = end + 1
  }
  return { sniffer: null, isSure: head.length >= formatHeadBytes }
}

/** The format by the first bytes of a first record that is longer than the head. */
function formatOfOpening(opening: string): LogFormat | null {
  if (/^\{"parentUuid":|^\{"type":"(queue-operation|file-history-snapshot)"/.test(opening)) return 'claude'
  return /^\{"timestamp":"[^"]*",("ordinal":\d+,)?"type":"[a-z_]+","payload":\{/.test(opening) ? 'codex' : null
}

function formatOf(record: JsonObject): LogFormat | null {
  const type = textAt(record, 'type')
  if (isObject(record['payload']) && textAt(record, 'timestamp') !== null) return 'codex'
  const message = objectAt(record, 'message')
  const hasQwenBody =
    Array.isArray(message?.['parts']) || isObject(record['systemPayload']) || isObject(record['toolCallResult'])
  if (textAt(record, 'uuid') !== null && textAt(record, 'sessionId') !== null && hasQwenBody) return 'qwen'
  const hasClaudeBody = typeof message?.['content'] === 'string' || listAt(message, 'content').length > 0
  const isClaudeType = type === 'file-history-snapshot' || type === 'file-history-delta' || type === 'summary' || type === 'queue-operation'
  return hasClaudeBody || isClaudeType ? 'claude' : null
}
