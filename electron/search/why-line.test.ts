import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ReviewError } from '../../shared/errors.js'
import type { WhyAnswer } from '../../shared/search.js'
import { liveSession } from '../testing/live-session.js'
import { searchWorld, type SearchWorld } from '../testing/search-world.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'
import { createWhyLine } from './why-line.js'

const short = (answer: WhyAnswer): string => (answer.kind === 'written' ? `${answer.turn} ${answer.cause} ${answer.callId}` : answer.reason)

/** Saves a session with its files, and asks for lines of them. */
async function asked(world: SearchWorld, agent: SimulatedAgent, ...lines: readonly (readonly [string, number])[]): Promise<readonly string[]> {
  await agent.save(world.home)
  for (const [path, { bytes }] of agent.files) writeFileSync(join(world.folder, path), bytes)
  const { search } = await world.search()
  const answers: string[] = []
  for (const [path, line] of lines) answers.push(short(await search.why(join(world.folder, path), line)))
  return answers
}

describe('why a line is there', () => {
  it('is the turn that wrote it: with prompt, call, hunk, what stood there before, and the turns that it passed', async () => {
    const world = searchWorld()
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`)
    const agent = new SimulatedAgent({ 'a.txt': `${lines.join('\n')}\n` }, 100, world.folder)
    agent.prompt('nothing yet')
    agent.prompt('change two places')
    agent.edit('a.txt', 'line 1\n', 'first\n')
    agent.edit('a.txt', 'line 17\n', 'new above\nsecond\n')
    agent.prompt('and one more')
    agent.edit('a.txt', 'line 0\n', '')
    await agent.save(world.home)
    writeFileSync(join(world.folder, 'a.txt'), agent.text('a.txt') ?? '')
    const { search } = await world.search()
    const answer = await search.why(join(world.folder, 'a.txt'), 17)
    expect(answer).toEqual({
      kind: 'written',
      session: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      agent: 'qwen-code',
      client: null,
      title: 'nothing yet',
      promptId: agent.log.promptId(2),
      turn: 2,
      prompt: 'change two places',
      at: expect.any(Number) as number,
      callId: 'call-2',
      cause: 'edit',
      hunk: 2,
      line: 'new above',
      before: 'line 17',
      passed: 1,
    })
  })

  it('says of what was typed between which turns it came, and of the first lines that they stood there before', async () => {
    const world = searchWorld()
    const agent = new SimulatedAgent({ 'a.txt': 'old\n' }, 100, world.folder)
    agent.prompt('first')
    agent.edit('a.txt', 'old\n', 'old\none\n')
    agent.put('a.txt', 'old\none\ntyped\n')
    agent.prompt('second')
    agent.edit('a.txt', 'one\n', 'ONE\n')
    agent.put('a.txt', 'old\nONE\ntyped\ntyped late\n')
    const typed = 'Typed by you, or written by a program that no session shows,'
    expect(await asked(world, agent, ['a.txt', 1], ['a.txt', 2], ['a.txt', 3], ['a.txt', 4])).toEqual([
      'It stood there before turn 1 of “first” (2026-01-05 08:00 UTC), the first that is known to have changed the file.',
      '2 edit call-2',
      `${typed} between turn 1 of “first” (2026-01-05 08:00 UTC) and turn 2 of “first” (2026-01-05 08:00 UTC).`,
      `${typed} after turn 2 of “first” (2026-01-05 08:00 UTC).`,
    ])
  })

  it('is found behind a return to an older state, by whatever means', async () => {
    const world = searchWorld()
    const agent = new SimulatedAgent({ 'a.txt': 'old\n' }, 100, world.folder)
    agent.prompt('first')
    agent.edit('a.txt', 'old\n', 'one\n')
    agent.prompt('second')
    agent.edit('a.txt', 'one\n', 'two\n')
    agent.put('a.txt', 'one\n')
    expect(await asked(world, agent, ['a.txt', 1])).toEqual(['1 edit call-1'])
  })

  it('goes through the sessions of a folder in the order of time', async () => {
    const world = searchWorld()
    const first = new SimulatedAgent({ 'a.txt': 'zero\n' }, 100, world.folder)
    const second = new SimulatedAgent({ 'a.txt': 'zero\none\n' }, 100, world.folder)
    Object.assign(second.log, { sessionId: '5e551011-0000-4000-8000-000000000002' })
    Object.assign(second, { clock: 900_000 })
    first.prompt('one')
    first.edit('a.txt', 'zero\n', 'zero\none\n')
    second.prompt('two')
    second.edit('a.txt', 'one\n', 'one\ntwo\n')
    await first.save(world.home)
    expect(await asked(world, second, ['a.txt', 2], ['a.txt', 3])).toEqual(['1 edit call-1', '1 edit call-1'])
  })

  it('tells two sessions apart that worked at the same time, whatever was typed since', async () => {
    const world = searchWorld()
    const [first, second] = [new SimulatedAgent({ 'a.txt': 'zero\n' }, 100, world.folder), new SimulatedAgent({ 'a.txt': 'zero\n' }, 100, world.folder)]
    Object.assign(second.log, { sessionId: '5e551011-0000-4000-8000-000000000002' })
    first.prompt('slow')
    Object.assign(second, { clock: 2000 })
    second.prompt('quick')
    second.edit('a.txt', 'zero\n', 'zero\nquick\n')
    Object.assign(first, { clock: 9000 })
    first.put('a.txt', 'zero\nquick\n')
    first.edit('a.txt', 'zero\n', 'slow\nzero\n')
    first.reply()
    first.put('a.txt', 'slow\nzero\nquick\ntyped\n')
    await second.save(world.home)
    await first.save(world.home)
    writeFileSync(join(world.folder, 'a.txt'), first.text('a.txt') ?? '')
    const { search } = await world.search()
    const answers: (string | null)[] = []
    for (const line of [1, 2, 3, 4]) {
      const answer = await search.why(join(world.folder, 'a.txt'), line)
      answers.push(answer.kind === 'written' ? answer.prompt : answer.reason.slice(0, 12))
    }
    expect(answers).toEqual(['slow', 'It stood the', 'quick', 'Typed by you'])
  })

  it('tells a command from an edit, and does not say who wrote what may have been either a command or a person', async () => {
    const world = searchWorld()
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' }, 100, world.folder)
    agent.prompt('first')
    agent.edit('a.txt', 'one\n', 'one\nedited\n')
    agent.shell("cat > a.txt <<'EOF'\none\nedited\nby command\nEOF", (disk) => disk.put('a.txt', 'one\nedited\nby command\n'))
    agent.prompt('second')
    agent.shell('npm run format', (disk) => disk.put('a.txt', 'one\nedited\nby command\nformatted\n'))
    agent.prompt('third')
    expect(await asked(world, agent, ['a.txt', 2], ['a.txt', 3], ['a.txt', 4])).toEqual([
      '1 edit call-1',
      '1 command call-2',
      expect.stringMatching(/^It came during turn 2 .* the records do not tell whether/),
    ])
  })

  it('is exact for a session of ours: each call, and what was typed in the middle of a turn', async () => {
    const live = await liveSession({ 'a.txt': 'one\n' })
    onTestFinished(() => live.dispose())
    await live.turn('first')
    await live.edit({ 'a.txt': 'one\nedited\n' })
    live.temp.put('a.txt', 'one\nedited\ntyped\n')
    await live.command('make', () => live.temp.put('a.txt', 'one\nedited\ntyped\nmade\n'))
    const { search } = await searchWorld(live.temp.data).search()
    const answers: string[] = []
    for (const line of [2, 3, 4]) answers.push(short(await search.why(live.temp.at('a.txt'), line)))
    expect(answers).toEqual(['1 edit call-1', expect.stringMatching(/^Typed by you, .* during turn 1 of/), '1 command call-2'])
  })

  it('knows a file by its real path, in folders above and below it', async () => {
    const world = searchWorld()
    mkdirSync(join(world.folder, 'src'))
    symlinkSync(join(world.folder, 'src'), join(world.folder, 'link'))
    const agent = new SimulatedAgent({}, 100, world.folder)
    agent.prompt('first')
    agent.write('src/größe.txt', 'one\n')
    await agent.save(world.home)
    writeFileSync(join(world.folder, 'src/größe.txt'), 'one\n')
    const { search } = await world.search()
    expect(short(await search.why(join(world.folder, 'link/größe.txt'), 1))).toBe('1 edit call-1')
  })

  it('goes on without sessions that cannot be read, and says so where nothing is found', async () => {
    const world = searchWorld()
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' }, 100, world.folder)
    agent.prompt('first')
    agent.edit('a.txt', 'one\n', 'two\n')
    await agent.save(world.home)
    writeFileSync(join(world.folder, 'a.txt'), 'two\n')
    const { deps } = await world.search()
    const broken = createWhyLine({ ...deps, open: () => Promise.reject(new ReviewError('SESSION_UNREADABLE', 'No.')) })
    expect(short(await broken.why(join(world.folder, 'a.txt'), 1))).toBe('No session that is known here changed this file. One session could not be read.')
  })

  it('says that no session changed a file, and refuses what has no such line', async () => {
    const world = searchWorld()
    writeFileSync(join(world.folder, 'a.txt'), 'one\n')
    writeFileSync(join(world.folder, 'b.bin'), Buffer.from([0, 1, 2]))
    const { search } = await world.search()
    const refused = await Promise.all([['a.txt', 2], ['b.bin', 1], ['none.txt', 1], ['', 1]].map(([path, line]) => search.why(join(world.folder, String(path)), Number(line)).catch((thrown: unknown) => thrown)))
    expect([short(await search.why(join(world.folder, 'a.txt'), 1)), refused]).toEqual([
      'No session that is known here changed this file.',
      ['FILE_NOT_FOUND', 'FILE_BINARY', 'FILE_NOT_FOUND', 'FILE_NOT_FOUND'].map((code) => expect.objectContaining({ code }) as unknown),
    ])
  })
})
