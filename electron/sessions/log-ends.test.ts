import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tellFormat } from './log-format.js'
import { readLogEnds, type LogEnds } from './log-ends.js'

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url))
const logs = readdirSync(fixtures, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl') && tellFormat(readFileSync(join(fixtures, file))).sniffer !== null)

async function endsOf(file: string, wantsPrompts: boolean): Promise<LogEnds> {
  const { sniffer } = tellFormat(readFileSync(file).subarray(0, 1 << 16))
  if (!sniffer) throw new Error(`${file} is no log`)
  const handle = openSync(file, 'r')
  try {
    return await readLogEnds(handle, statSync(file).size, sniffer, wantsPrompts)
  } finally {
    closeSync(handle)
  }
}

function written(...lines: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-ends-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log.jsonl')
  writeFileSync(file, lines.join('\n') + '\n')
  return file
}

const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const time = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`
const claude = (number: number, type: 'user' | 'assistant', message: object, more: object = {}): string =>
  JSON.stringify({ parentUuid: number === 1 ? null : id(number - 1), isSidechain: false, type, message: { role: type, ...message }, uuid: id(number), timestamp: time(number), cwd: '/w', ...more })

describe('both ends of a log', () => {
  it.each(logs)('say the same for a list as for the opened session: %s', async (file) => {
    const { newestPrompts: _, ...whole } = await endsOf(join(fixtures, file), true)
    const { newestPrompts, ...listed } = await endsOf(join(fixtures, file), false)
    expect([listed, newestPrompts]).toEqual([whole, []])
  })

  it('take the time of a last record that is too long to be parsed for it, and the model of the answer before it', async () => {
    const result = { content: [{ tool_use_id: 'c', type: 'tool_result', content: 'x'.repeat(200_000) }] }
    const file = written(claude(1, 'user', { content: 'Do it' }), claude(2, 'assistant', { model: 'model-1', content: [] }), claude(3, 'user', result, { toolUseResult: { timestamp: time(50), stdout: 'x'.repeat(200_000) } }))
    expect(await endsOf(file, false)).toMatchObject({ model: 'model-1', lastActiveAt: Date.parse(time(3)), firstPrompt: 'Do it' })
  })

  it.each(['\ufeff', '{"parentUuid":null,"isSidechain":false,"type":"user","message":{"ro'])('are told of the first and of the last record too, where %s stands before them on the line', async (before) => {
    const file = written(`${before}${claude(1, 'user', { content: 'Do it' })}`, claude(2, 'user', { content: 'And that' }), `${before}${claude(3, 'assistant', { model: 'model-1', content: [] })}`)
    expect(await endsOf(file, false)).toMatchObject({ folder: '/w', model: 'model-1', firstPrompt: 'Do it', startedAt: Date.parse(time(1)), lastActiveAt: Date.parse(time(3)) })
  })

  it('have the first prompt, though pictures stand in it', async () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'x'.repeat(3 << 20) } }
    const file = written(claude(1, 'user', { content: [picture, { type: 'text', text: 'Like this' }] }), claude(2, 'assistant', { model: 'model-1', content: [] }))
    expect(await endsOf(file, false)).toMatchObject({ folder: '/w', firstPrompt: expect.stringContaining('Like this') as string, startedAt: Date.parse(time(1)) })
  })

  it('take the newest title and the newest model, though an older one is nearer to the end of what is read', async () => {
    const title = (text: string): string => JSON.stringify({ type: 'custom-title', customTitle: text, sessionId: id(9) })
    const answer = (number: number, model: string): string => claude(number, 'assistant', { model, content: [{ type: 'text', text: '"model":"none"' }] })
    const file = written(claude(1, 'user', { content: 'Do it' }), title('old'), answer(2, 'model-1'), title('new'), answer(3, 'model-2'), claude(4, 'user', { content: 'And "model":"no"' }))
    expect(await endsOf(file, false)).toMatchObject({ model: 'model-2', title: 'new', lastActiveAt: Date.parse(time(4)) })
  })
})
