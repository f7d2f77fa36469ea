import { describe, expect, it } from 'vitest'
import type { ChangeBadge } from '../../shared/file-state.js'
import { badgeText } from './badges.js'

describe('badgeText', () => {
  it('says each fact in the words of the window', () => {
    const words: readonly (readonly [ChangeBadge, string])[] = [
      [{ kind: 'line-ends', before: 'crlf', after: 'lf' }, 'CRLF → LF'],
      [{ kind: 'line-ends', before: 'crlf', after: 'crlf' }, 'CRLF'],
      [{ kind: 'line-ends', before: null, after: 'mixed' }, 'mixed line ends'],
      [{ kind: 'line-ends', before: 'none', after: 'crlf' }, 'CRLF'],
      [{ kind: 'bom', before: true, after: true }, 'BOM'],
      [{ kind: 'bom', before: true, after: false }, 'BOM removed'],
      [{ kind: 'bom', before: false, after: true }, 'BOM added'],
      [{ kind: 'encoding', before: 'utf-8', after: 'utf-16le' }, 'UTF-8 → UTF-16LE'],
      [{ kind: 'encoding', before: null, after: 'latin1' }, 'LATIN1'],
      [{ kind: 'mode', before: 0o644, after: 0o755 }, 'mode +x'],
      [{ kind: 'mode', before: 0o755, after: 0o644 }, 'mode −x'],
      [{ kind: 'mode', before: 0o644, after: 0o600 }, 'mode 644 → 600'],
      [{ kind: 'mode', before: null, after: 0o600 }, 'mode 600'],
      [{ kind: 'mode', before: null, after: 0o755 }, 'mode 755'],
      [{ kind: 'link', target: '../a' }, 'link'],
      [{ kind: 'final-newline', before: true, after: false }, 'no final newline'],
      [{ kind: 'final-newline', before: false, after: true }, 'final newline added'],
      [{ kind: 'only-blanks' }, 'only blanks'],
      [{ kind: 'binary', beforeBytes: 9100, afterBytes: 18_432 }, 'binary 9.1 → 18.4 kB'],
      [{ kind: 'binary', beforeBytes: 512, afterBytes: 18_432 }, 'binary 512 bytes → 18.4 kB'],
      [{ kind: 'binary', beforeBytes: null, afterBytes: 18_432 }, 'binary 18.4 kB'],
      [{ kind: 'oversized', sizeBytes: 61_000_000 }, 'oversized 61 MB'],
      [{ kind: 'unreadable', reason: 'no permission' }, 'unreadable'],
      [{ kind: 'unknown', side: 'before', reason: 'no-record' }, 'before unknown'],
      [{ kind: 'unknown', side: 'both', reason: 'no-record' }, 'unknown'],
      [{ kind: 'backup-failed' }, 'backup failed'],
      [{ kind: 'refused', reason: 'old text occurs 3 times' }, 'old text occurs 3 times'],
      [{ kind: 'outside-workspace' }, 'outside the folder'],
    ]
    expect(words.map(([badge]) => badgeText(badge).text)).toEqual(words.map(([, text]) => text))
  })
})
