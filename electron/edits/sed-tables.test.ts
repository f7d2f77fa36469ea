import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { recognise } from './sed-command.js'
import { apply } from './sed-edit.js'

// Each row holds what GNU sed 4.9 made of a file in the locale C.UTF-8.

type Bytes = { readonly utf8: string } | { readonly base64: string }

interface CommandRow {
  readonly id: string
  readonly command: string
  readonly file: string
  readonly before: Bytes
  /** `either`: may be declined; if not, and the real command did not fail, the bytes count. */
  readonly expected: 'simulated' | 'declined' | 'either' | 'macForm'
  /** `null` where the real command fails. */
  readonly after: Bytes | null
  readonly parsed?: {
    readonly extended: boolean
    readonly delimiter: string
    readonly pattern: string
    readonly replacement: string
    readonly flags: string
  }
}

interface OracleRow {
  readonly id: number
  readonly command: string
  readonly before: string
  readonly after: string | null
}

function rows<Row>(name: string): readonly Row[] {
  const text = readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line): Row => JSON.parse(line))
}

function bytesOf(bytes: Bytes): Buffer {
  return 'utf8' in bytes ? Buffer.from(bytes.utf8, 'utf8') : Buffer.from(bytes.base64, 'base64')
}

/** The bytes after the command in base64, or why it was declined. */
function simulate(
  command: string,
  file: string,
  before: Uint8Array,
): { readonly after: string } | { readonly reason: string } {
  const recognised = recognise(command)
  if (!recognised.simulated) return { reason: recognised.reason }
  if (recognised.path.replace(/^\.\//, '') !== file) return { reason: 'another file' }
  const edit = apply(before, recognised, { locale: 'C.UTF-8' })
  return edit.kind === 'edited' ? { after: Buffer.from(edit.bytes).toString('base64') } : { reason: edit.reason }
}

describe('the table of sed commands', () => {
  it.each(rows<CommandRow>('sed-commands.jsonl'))(
    '$id: $command',
    ({ command, file, before, expected, after, parsed }) => {
      const result = simulate(command, file, bytesOf(before))
      const isDeclined = 'reason' in result
      if (expected === 'declined' || (expected === 'either' && (isDeclined || after === null))) {
        expect(isDeclined).toBe(true)
        return
      }
      expect(result).toEqual({ after: after === null ? null : bytesOf(after).toString('base64') })
      const recognised = recognise(command)
      if (parsed === undefined || !recognised.simulated) return
      const { extended, delimiter, pattern, replacement, occurrence, global, isMacForm } = recognised
      const isGlobal = parsed.flags.includes('g')
      const number = Number(parsed.flags.replace('g', '') || '1')
      const { flags: _, ...text } = parsed
      expect({ extended, delimiter, pattern, replacement, occurrence, global, isMacForm }).toEqual({
        ...text,
        occurrence: number,
        global: isGlobal,
        isMacForm: false,
      })
    },
  )

  it('knows the macOS form', () => {
    const mac = rows<CommandRow>('sed-commands.jsonl').filter((row) => row.expected === 'macForm')
    expect(mac.map(({ command }) => recognise(command))).toEqual(
      mac.map(() => expect.objectContaining({ isMacForm: true })),
    )
  })
})

describe('the second table of sed commands', () => {
  it.each(rows<OracleRow>('sed-oracle.jsonl'))('$id: $command', ({ command, before, after }) => {
    const result = simulate(command, 'target.txt', Buffer.from(before, 'utf8'))
    const isMacForm = command.startsWith("sed -i '' ")
    if ('after' in result && !isMacForm) {
      expect(result).toEqual({ after: Buffer.from(after ?? '?', 'utf8').toString('base64') })
    } else expect(after === null || declinedThere.has(command)).toBe(true)
  })

  /** Rows that GNU sed runs and that are left to it. */
  const declinedThere = new Set([
    "sed -i -E 's/a**/X/' target.txt",
    "sed -i 's/a*\\?/X/' target.txt",
    "sed -i 's/[[.a.]]/N/g' target.txt",
    "sed -i -E 's/[\\d]/X/g' target.txt",
    "sed -i 's/[/]/X/g' target.txt",
    "sed -i 's/\\x41/X/' target.txt",
    "sed -i 's/\\d065/X/' target.txt",
    "sed -i 's/\\p{L}/X/' target.txt",
    "sed -i -E 's/(a)\\1/X/' target.txt",
    "sed -i '1s/a/b/' target.txt",
    "sed -i 's/a/b/p' target.txt",
    "sed -n -i 's/a/b/' target.txt",
    "sed -iE 's/a|b/c/' target.txt",
    "sed --in-place=.bak 's/a/b/' target.txt",
    "sed -i 's/a/b/' target.txt target.txt",
    'sed -i "s/a/$X/" target.txt',
    "sed -i 's/a/b/' target.txt # c",
    "LC_ALL=C sed -i 's/a/b/' target.txt",
    'bash -c "sed -i \'s/a/b/\' target.txt"',
    "sed -i 's/a/b\\\nc/' target.txt",
    "sed -i 's/a/b/ g' target.txt",
    "sed -i 's/a/b/m' target.txt",
    "sed -i 's/a/b/01' target.txt",
    "sed -i 'd' target.txt",
    "sed -i 's/a/b/' target.txt | cat",
    "time sed -i 's/a/b/' target.txt",
  ])
})
