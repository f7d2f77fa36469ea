import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { describeSession } from '../testing/describe-session.js'
import { disturbedLines, hostileNames, numbers, oneOf, type RandomNumbers } from '../testing/disturbed-lines.js'
import { OpencodeStore, toolPart } from '../testing/opencode-store.js'
import { opencodeReader } from './opencode.js'

const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 20)
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000)
const slowestMs = 5000
const secret = 'what nobody may read'
const tree = 'a'.repeat(40)

function newRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'overturn-fuzz-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  writeFileSync(join(root, 'secret.json'), JSON.stringify({ type: 'text', text: secret, id: 'prt_9' }))
  return root
}

/** Reads everything of a session; returns what was found wrong. */
async function readAll(root: string, file: string): Promise<readonly string[]> {
  const startedAt = performance.now()
  const options = { file, agent: 'opencode' as const, indexFile: null, workspace: null, isFollowed: false, log: silentLog, environment: {}, home: root, dataFolder: root }
  const known = new Set(['SESSION_NOT_FOUND', 'SESSION_FORMAT_UNKNOWN', 'SESSION_UNREADABLE'])
  const wrong: string[] = []
  try {
    const session = await opencodeReader.open(options)
    try {
      const seen = JSON.stringify(await describeSession(session))
      const pages = await session.ledger?.pages()
      for (const { promptId } of session.turns) for (const mark of pages?.ofTurn(promptId) ?? []) for (const path of mark.paths) await pages?.changeOf(mark, path)
      if (seen.includes(secret)) wrong.push('read what is outside')
    } finally {
      session.close()
    }
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && known.has(String(thrown.code)))) wrong.push(String(thrown instanceof Error ? thrown.stack : thrown))
  }
  if (performance.now() - startedAt > slowestMs) wrong.push('slow')
  return wrong
}

function disturbed(random: RandomNumbers, json: string): string {
  return random() < 0.2 ? oneOf(random, hostileNames, '') : disturbedLines(random, Buffer.from(`${json}\n`)).toString('utf8')
}

describe('a damaged store of opencode', () => {
  it(`never fails, hangs or reads outside, whatever its rows hold (seed ${seed}, ${rounds} rounds)`, { timeout: 60_000 + rounds * 1000 }, async () => {
    const random = numbers(seed)
    const root = newRoot()
    const wrong: string[] = []
    for (let round = 0; round < rounds; round++) {
      const store = new OpencodeStore(join(root, `store-${round}`))
      store.session('ses_1', '/home/dev/app')
      store.session('ses_2', '/home/dev/app', { parentId: 'ses_1' })
      const first = store.prompt('ses_1', 'one \u2028')
      store.step('ses_1', first, tree, [toolPart('edit', 'c1', { filePath: '/home/dev/app/a', oldString: 'a', newString: 'b' }), toolPart('task', 'c2', {}, { sessionId: 'ses_2' })], tree)
      store.step('ses_2', store.prompt('ses_2', 'two'), tree, [toolPart('task', 'c3', {}, { sessionId: 'ses_1' })], null)
      const taken = store.prompt('ses_1', 'three')
      store.throwAway('ses_1', [taken])
      store.newer('ses_1', 'user', { text: 'four', files: [{ name: 'x' }] })
      const content = [{ type: 'text', text: 'x' }, { type: 'tool', id: 'c4', name: 'subagent', state: { status: 'completed', input: { path: 'a' }, structured: { sessionID: 'ses_2', files: [{ file: 'a', status: 'added' }] }, content: [{ text: 'x' }] } }]
      store.newer('ses_1', 'assistant', { content, snapshot: { start: tree, end: tree, files: ['a', '../x'] } })
      store.newer('ses_2', 'assistant', { content })
      for (let time = 0; time < 6; time++) {
        const table = oneOf(random, ['message', 'part', 'session_message', 'event'], 'part')
        const rows = store.rows(`SELECT id, data FROM ${table}`)
        const { id, data } = oneOf(random, rows, { id: '', data: '{}' })
        if (random() < 0.7) store.run(`UPDATE ${table} SET data = ? WHERE id = ?`, [disturbed(random, data), id])
        else if (table === 'session_message') store.run('UPDATE session_message SET type = ? WHERE id = ?', [oneOf(random, [...hostileNames, 'compaction', 'shell', 'user'], ''), id])
        else store.run(`DELETE FROM ${table} WHERE id = ?`, [id])
      }
      if (random() < 0.3) store.takeBack('ses_1', oneOf(random, [first, '', '__proto__'], ''))
      store.close()
      // Some bytes of the file itself are others as well.
      const bytes = readFileSync(store.file)
      for (let time = Math.floor(random() * 3); time > 0; time--) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
      const cut = random() < 0.1 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes
      writeFileSync(store.file, cut)
      utimesSync(store.file, 1_000, 1_000)
      for (const id of ['ses_1', 'ses_2']) wrong.push(...(await readAll(root, `${store.file}#${id}`)).map((each) => `round ${round}: ${each}`))
    }
    expect(wrong).toEqual([])
  })

  it(`never fails, hangs or reads outside, whatever its older files hold (seed ${seed}, ${rounds} rounds)`, { timeout: 60_000 + rounds * 1000 }, async () => {
    const random = numbers(seed + 1)
    const root = newRoot()
    const storage = join(root, 'opencode/storage')
    const files: Readonly<Record<string, unknown>> = {
      'session/project/ses_1.json': { id: 'ses_1', projectID: 'project', directory: '/home/dev/app', title: 'Old \u2028', time: { created: 1, updated: 9 }, revert: { messageID: 'msg_3' } },
      'message/ses_1/msg_1.json': { id: 'msg_1', role: 'user', time: { created: 2 } },
      'message/ses_1/msg_2.json': { id: 'msg_2', role: 'assistant', parentID: 'msg_1', modelID: 'm', time: { created: 3 } },
      'message/ses_1/msg_3.json': { id: 'msg_3', role: 'user', time: { created: 4 } },
      'part/msg_1/prt_1.json': { type: 'text', text: 'hello' },
      'part/msg_2/prt_2.json': toolPart('task', 'c1', {}, { sessionId: '../ses_1' }),
      'part/msg_2/prt_3.json': { type: 'step-start', snapshot: tree },
    }
    const wrong: string[] = []
    for (let round = 0; round < rounds; round++) {
      rmSync(storage, { recursive: true, force: true })
      for (const [path, value] of Object.entries(files)) {
        mkdirSync(dirname(join(storage, path)), { recursive: true })
        writeFileSync(join(storage, path), random() < 0.3 ? disturbed(random, JSON.stringify(value)) : JSON.stringify(value))
      }
      symlinkSync(join(root, 'secret.json'), join(storage, 'part/msg_1/prt_9.json'))
      symlinkSync(join(root, 'outside'), join(storage, 'part/msg_3'))
      mkdirSync(join(root, 'outside'), { recursive: true })
      copyFileSync(join(root, 'secret.json'), join(root, 'outside/prt_9.json'))
      if (random() < 0.3) rmSync(join(storage, oneOf(random, Object.keys(files), 'none')), { force: true })
      for (const name of readdirSync(join(storage, 'session/project'))) wrong.push(...(await readAll(root, join(storage, 'session/project', name))).map((each) => `round ${round}: ${each}`))
    }
    expect(wrong).toEqual([])
  })
})
