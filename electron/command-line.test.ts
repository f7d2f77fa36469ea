import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { commandLine, isCommandWord } from './command-line.js'

describe('the first word', () => {
  it('begins a command line, or is a flag of the window', () => {
    const words = ['sessions', 'take-back', 'version', '--version', '-V', '--help', '-h', '--data', '--workspace', '--no-sandbox', '/a/log.jsonl', undefined]
    expect(words.filter(isCommandWord)).toEqual(['sessions', 'take-back', 'version', '--version', '-V', '--help', '-h', '--data'])
  })
})

describe('the version', () => {
  it.each(['--version', '-V', 'version'])('is all that %s prints', async (word) => {
    const version = /"version": "([^"]+)"/.exec(readFileSync('package.json', 'utf8'))?.[1]
    const written: string[] = []
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((...[text, told, last]) => {
      written.push(String(text))
      const done = typeof told === 'function' ? told : last
      done?.()
      return true
    })
    try {
      const code = await commandLine([word], resolve('build'), [])
      expect([code, written.join('')]).toEqual([0, `${version}\n`])
    } finally {
      write.mockRestore()
    }
  })
})
