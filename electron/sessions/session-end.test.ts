import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../base/log.js'
import { openSessionLog } from '../history/session-log.js'
import { promptId } from '../../shared/ids.js'
import { ClaudeLog } from '../testing/claude-log.js'
import { CodexLog } from '../testing/codex-log.js'
import { QwenLog } from '../testing/qwen-log.js'
import { createLibrary } from './library.js'

const newHome = (): string => {
  const home = mkdtempSync(join(tmpdir(), 'overturn-end-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** What the list says of the one session in a home: how it ended and when, and whether it is live; asked a moment after it was written. */
async function endIn(home: string, now = Date.now()): Promise<unknown> {
  const library = createLibrary({
    dataFolder: join(home, 'data'), environment: {}, home, log: silentLog, store: { read: async () => ({ kind: 'missing' }), sizeOf: async () => null },
    locations: () => [], attachments: () => ({}), fallbackWorkspace: null, isFallbackForced: false, isWatching: false, onChanged: () => undefined, now: () => now,
  })
  onTestFinished(() => library.close())
  await library.whenListed()
  const [session] = library.list().sessions
  return [session?.end, session?.isLive]
}

const at = (log: ClaudeLog, text: string): number => Date.parse((/"timestamp":"([^"]+)"/.exec(log.lines.findLast((line) => line.includes(text)) ?? '') ?? [])[1] ?? '')

describe('a session of Claude Code', () => {
  const exit = '<command-name>/exit</command-name>'
  const say = (log: ClaudeLog, content: string, more: object = {}): string => log.talk('user', { message: { role: 'user', content }, ...more })
  const end = (log: ClaudeLog): Promise<unknown> => {
    const home = newHome()
    put(join(home, '.claude/projects/-home-dev-acme', `${log.sessionId}.jsonl`), log.text())
    return endIn(home)
  }
  const talk = (): ClaudeLog => {
    const log = new ClaudeLog()
    log.prompt('First')
    log.reply('ok')
    return log
  }

  it('has ended where a person left it, whatever the program notes after that', async () => {
    const log = talk()
    say(log, 'Caveat: what follows was typed for the program', { isMeta: true })
    say(log, `${exit}\n            <command-message>exit</command-message>\n            <command-args></command-args>`)
    say(log, '<local-command-stdout>See ya!</local-command-stdout>')
    log.raw({ type: 'last-prompt', lastPrompt: 'First', sessionId: log.sessionId })
    expect(await end(log)).toEqual([{ at: at(log, 'command-name'), how: 'ended' }, false])
  })

  it('has ended where a hook was told so', async () => {
    const log = talk()
    log.talk('attachment', { attachment: { type: 'hook_success', hookName: 'SessionEnd', hookEvent: 'SessionEnd' } })
    expect(await end(log)).toEqual([{ at: at(log, 'SessionEnd'), how: 'ended' }, false])
  })

  it('goes on where somebody came back', async () => {
    const log = talk()
    say(log, exit)
    log.prompt('Second')
    const asked = await end(log)
    log.reply('ok')
    log.talk('system', { subtype: 'turn_duration', durationMs: 5 })
    expect([asked, await end(log)]).toEqual([[null, false], [null, false]])
  })

  it('has not ended where nothing says so, or where the talk is only about it', async () => {
    const log = talk()
    const silent = await end(log)
    log.prompt(`What does ${exit} mean?`)
    const asked = await end(log)
    log.reply(exit)
    const told = await end(log)
    say(log, '<command-name>/exit-plan</command-name>')
    expect([silent, asked, told, await end(log)]).toEqual(Array.from({ length: 4 }, () => [null, false]))
  })
})

describe('a session of Codex', () => {
  const end = (source: string, add: (log: CodexLog) => void, folder = 'sessions/2026/01/01', now = 0): Promise<unknown> => {
    const home = newHome()
    const log = new CodexLog('/home/dev/acme', now, { source })
    log.prompt('t1')
    log.say('ok')
    add(log)
    put(join(home, '.codex', folder, 'rollout-2026-01-01T00-00-00-00000000-0000-4000-8000-000000000001.jsonl'), log.text())
    return endIn(home)
  }
  const done = (log: CodexLog): void => log.add('event_msg', { type: 'task_complete', turn_id: 't1' })

  it('has ended with its turn where it ran for one, is not live then, and goes on with the next one', async () => {
    expect([
      await end('exec', done, undefined, Date.now() - 100),
      await end('exec', (log) => (done(log), log.add('event_msg', { type: 'token_count', info: null }))),
      await end('exec', (log) => (done(log), log.prompt('t2'))),
      await end('exec', () => undefined, undefined, Date.now() - 100),
    ]).toMatchObject([[{ how: 'ended' }, false], [{ at: 30, how: 'ended' }, false], [null, false], [null, true]])
  })

  it('of a person ends when the program says so, not with a turn', async () => {
    expect([await end('cli', done), await end('cli', (log) => (done(log), log.add('event_msg', { type: 'shutdown_complete' })))]).toMatchObject([[null, false], [{ how: 'ended' }, false]])
  })

  it('may have been archived', async () => {
    expect(await end('cli', done, 'archived_sessions')).toEqual([{ at: null, how: 'archived' }, false])
  })
})

describe('a session of qwen-code', () => {
  it('has ended where it was archived only', async () => {
    const ends: unknown[] = []
    for (const folder of ['chats', 'chats/archive']) {
      const home = newHome()
      const log = new QwenLog()
      log.turn(1, 'First', {})
      put(join(home, '.qwen/projects/-home-dev-acme', folder, `${log.sessionId}.jsonl`), log.text())
      ends.push(await endIn(home))
    }
    expect(ends).toEqual([[null, false], [{ at: null, how: 'archived' }, false]])
  })
})

describe('a session of ours', () => {
  it('has ended where that was noted behind its last prompt', async () => {
    const home = newHome()
    const options = { dataFolder: join(home, 'data'), sessionId: '5e551011-0000-4000-8000-000000000001', folder: '/home/dev/acme', version: '1', branch: null, client: { name: 'agent', version: '1' }, now: () => 5000 }
    const log = await openSessionLog(options)
    await log.prompt('First', promptId('p1'), 5000)
    const before = await endIn(home, 6000)
    await log.note('session-ended', {})
    // What was decided may still be noted after that.
    await log.note('decision', { state: 'cancelled' })
    const after = await endIn(home, 6000)
    await log.prompt('Second', promptId('p2'), 7000)
    expect([before, after, await endIn(home, 8000)]).toEqual([[null, true], [{ at: 5000, how: 'ended' }, false], [null, true]])
  })
})
