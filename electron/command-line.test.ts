import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { commandLine, isCommandWord } from './command-line.js'

/** Runs a command line and hears what it writes. */
async function run(...words: readonly string[]) {
  const hear = (stream: NodeJS.WriteStream) => {
    const heard: string[] = []
    const spy = vi.spyOn(stream, 'write').mockImplementation((...[text, told, last]) => {
      heard.push(String(text))
      const done = typeof told === 'function' ? told : last
      done?.()
      return true
    })
    return { text: () => heard.join(''), end: () => spy.mockRestore() }
  }
  const [out, note] = [hear(process.stdout), hear(process.stderr)]
  try {
    const code = await commandLine(words, resolve('build'), [])
    return { code, out: out.text(), note: note.text() }
  } finally {
    out.end()
    note.end()
  }
}

describe('the first word', () => {
  it('begins a command line, or is a flag of the window', () => {
    const words = ['sessions', 'take-back', 'version', '--version', '-V', '--help', '-h', '--data', '--workspace', '--no-sandbox', '/a/log.jsonl', undefined]
    expect(words.filter(isCommandWord)).toEqual(['sessions', 'take-back', 'version', '--version', '-V', '--help', '-h', '--data'])
  })
})

describe('a data folder that cannot be made', () => {
  it.each(['approvals', 'sessions', 'serve', 'host'])('is a refusal of %s, in words and as JSON', async (word) => {
    vi.stubEnv('OVERTURN_DATA_DIR', resolve('package.json', 'data'))
    try {
      const [{ code, out, note }, asJson] = [await run(word), word === 'serve' ? null : await run(word, '--json')]
      const words = 'The data folder cannot be made. Free its place, or choose another with OVERTURN_DATA_DIR.'
      expect([code, out, note]).toEqual([1, '', `${words}\n`])
      if (asJson) expect([asJson.code, JSON.parse(asJson.out)]).toEqual([1, { error: expect.objectContaining({ code: 'DATA_FOLDER_UNWRITABLE', message: words }) }])
    } finally {
      vi.unstubAllEnvs()
    }
  })
})

describe('the version', () => {
  it.each(['--version', '-V', 'version'])('is all that %s prints', async (word) => {
    const version = /"version": "([^"]+)"/.exec(readFileSync('package.json', 'utf8'))?.[1]
    expect(await run(word)).toEqual({ code: 0, out: `${version}\n`, note: '' })
  })
})
