import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { openOutput } from './output.js'

/** A stream that takes so many writes and fails from then on. */
function stream(takes: number, code: string): { readonly stream: Writable; readonly text: () => string } {
  let text = ''
  let writes = 0
  const made = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (++writes > takes) return done(Object.assign(new Error(`${code}: write`), { code }))
      text += chunk.toString()
      done()
    },
  })
  return { stream: made, text: () => text }
}

async function written(takes: number, code: string): Promise<readonly unknown[]> {
  const [out, err] = [stream(takes, code), stream(9, '')]
  const output = openOutput(out.stream, err.stream)
  for (const line of ['one\n', 'two\n', 'three\n']) {
    output.out(line)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return [await output.end(), out.text(), err.text()]
}

describe('the output of a command', () => {
  it('is written whole', async () => {
    expect(await written(9, '')).toEqual([true, 'one\ntwo\nthree\n', ''])
  })

  it('ends without a word where nobody reads on', async () => {
    expect([await written(1, 'EPIPE'), await written(0, 'EPIPE'), await written(3, 'EPIPE')]).toEqual([
      [true, 'one\n', ''],
      [true, '', ''],
      [true, 'one\ntwo\nthree\n', ''],
    ])
  })

  it('says in a sentence why it could not be written', async () => {
    expect([await written(1, 'ENOSPC'), await written(0, 'EIO')]).toEqual([
      [false, 'one\n', 'The output could not be written whole: the disk is full. Make room, or write it elsewhere.\n'],
      [false, '', 'The output could not be written whole (EIO: write). Write it elsewhere.\n'],
    ])
  })

  it('goes on where its notes cannot be written', async () => {
    const [out, err] = [stream(9, ''), stream(0, 'EPIPE')]
    const output = openOutput(out.stream, err.stream)
    output.note('lost\n')
    await new Promise((resolve) => setImmediate(resolve))
    output.note('lost too\n')
    output.out('one\n')
    expect([await output.end(), out.text()]).toEqual([true, 'one\n'])
  })
})
