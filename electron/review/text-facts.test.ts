import { describe, expect, it } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import { absent, ofBytes, unknown, type Held } from './held.js'
import { badgesOf, kindOfChange, readSide } from './text-facts.js'

const file = (content: string | Buffer, mode: number | null = 0o644): Held => {
  const bytes = Buffer.from(content)
  return ofBytes(bytes, mode, 'backup', () => Promise.resolve(bytes))
}

async function facts(before: Held, after: Held): Promise<readonly string[]> {
  const [one, two] = await Promise.all([readSide(before.content, false), readSide(after.content, false)])
  return [kindOfChange(one.side, two.side), ...badgesOf(one, two, false).map((badge) => JSON.stringify(Object.values(badge)))]
}

describe('the facts of a change', () => {
  it.each([
    ['plain', file('a\n'), file('b\n'), ['modified']],
    ['added', absent('backup'), file('a\n'), ['added']],
    ['an added program', absent('backup'), file('a\n', 0o755), ['added', '["mode",null,493]']],
    ['deleted', file('a\n'), absent('backup'), ['deleted']],
    ['CRLF', file('a\r\n'), file('a\n'), ['modified', '["line-ends","crlf","lf"]']],
    ['mixed', file('a\r\nb\n'), file('a\r\nb\r\n'), ['modified', '["line-ends","mixed","crlf"]']],
    ['BOM', file('a\n'), file('\ufeffa\n'), ['modified', '["bom",false,true]']],
    ['encoding', file(Buffer.from('caf\xe9 au lait\n', 'latin1')), file('café au lait\n'), ['modified', expect.stringMatching(/^\["encoding","[^"]+","utf-8"\]$/)]],
    ['mode', file('a\n', 0o644), file('a\n', 0o755), ['modified', '["mode",420,493]']],
    ['final newline', file('a\n'), file('a'), ['modified', '["final-newline",true,false]']],
    ['a new file without one', absent('backup'), file('a'), ['added', '["final-newline",null,false]']],
    ['binary', file(Buffer.from([0, 1, 2])), file(Buffer.from([0, 1])), ['modified', '["binary",3,2]']],
    ['unknown before', unknown('changed-by-command'), file('a\n'), ['unknown', '["unknown","before","changed-by-command"]']],
    ['a failed backup', unknown('backup-failed'), unknown('backup-failed'), ['unknown', '["unknown","both","backup-failed"]', '["backup-failed"]']],
  ])('%s', async (_name, before, after, expected) => {
    expect(await facts(before, after)).toEqual(expected)
  })

  it('shows a large file only when asked for', async () => {
    const large = file(Buffer.alloc(9 * 1024 * 1024, 'a\n'))
    const sides = [await readSide(large.content, false), await readSide(large.content, true)]
    expect(sides.map(({ side }) => side.kind)).toEqual(['oversized', 'text'])
  })

  it('calls a backup that has vanished unreadable, never empty', async () => {
    const gone = ofBytes(Buffer.from('a'), null, 'backup', () => Promise.reject(new ReviewError('BACKUP_MISSING', 'The backup is gone.')))
    expect((await readSide(gone.content, false)).side).toEqual({ kind: 'unreadable', reason: 'The backup is gone.' })
  })
})
