import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { promptId, workspacePath } from '../../shared/ids.js'
import { known, openAgent, type OpenedAgent } from '../testing/open-simulated.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'

/** The end of a live turn (from 1), and how it is known. */
async function ended({ contents }: OpenedAgent, turn: number, path: string): Promise<string> {
  const { held, by } = await contents.endOf(contents.now().steps.turns[turn - 1]?.promptId ?? promptId(''), workspacePath(path))
  const { state, read } = held.content
  const what = state.kind === 'file' ? Buffer.from(await read()).toString() : state.kind === 'unknown' ? `? ${state.reason}` : state.kind
  return `${by} ${held.source} ${what}`
}

describe('the end of a turn', () => {
  it('is what the recorded edits make of its start', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\ntwo\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'ONE')
    agent.edit('a.txt', 'two', 'TWO')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('steps edit ONE\nTWO\n')
  })

  it('is the written text for a new file', async () => {
    const agent = new SimulatedAgent()
    agent.prompt('first')
    agent.write('a.txt', 'one\r\ntwo')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('steps record one\r\ntwo')
  })

  it.each([
    ['CRLF stays CRLF', 'one\r\ntwo\r\n', 'ONE\r\ntwo\r\n'],
    ['mixed line ends become CRLF', 'one\r\ntwo\nthree\n', 'ONE\r\ntwo\r\nthree\r\n'],
    ['a BOM stays', '\ufeffone\ntwo\n', '\ufeffONE\ntwo\n'],
    ['a missing final newline stays missing', 'one\ntwo', 'ONE\ntwo'],
  ])('follows the recorder: %s', async (_rule, before, after) => {
    const agent = new SimulatedAgent({ 'a.txt': before })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'ONE')
    expect([await ended(await openAgent(agent), 1, 'a.txt'), agent.text('a.txt')]).toEqual([`steps edit ${after}`, after])
  })

  it('is not changed by an edit that was refused or failed', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two', { outcome: 'refused' })
    agent.edit('a.txt', 'one', 'three', { outcome: 'failed' })
    agent.prompt('second')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('steps backup one\n')
  })

  it('is unknown after an edit of which the log does not say whether it was done', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two', { outcome: 'unanswered' })
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('nothing none ? no-record')
  })

  it('is computed from a text that the recorder cut in the middle, where its both ends agree', async () => {
    const long = Array.from({ length: 2000 }, (_, at) => `line ${at}`).join('\n')
    const agent = new SimulatedAgent({ 'a.txt': long })
    agent.prompt('first')
    agent.edit('a.txt', 'line 1000\n', 'line one thousand\n')
    expect(await known(await openAgent(agent), 'end', 'a.txt')).toBe(long.replace('line 1000\n', 'line one thousand\n'))
  })

  it('is unknown where the file was another one at the edit than at the start', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\nx\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.put('a.txt', 'typed\ntwo\n')
    agent.edit('a.txt', 'two', 'three')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('nothing none ? records-disagree')
  })

  it('is unknown where a whole text was written over a file that was another one by then', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.put('a.txt', 'typed\r\n')
    agent.write('a.txt', 'new\n')
    expect([agent.text('a.txt'), await ended(await openAgent(agent), 1, 'a.txt')]).toEqual(['new\r\n', 'nothing none ? records-disagree'])
  })

  it('falls back to the start of the next turn where the steps do not lead there', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\nx\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.put('a.txt', 'typed\ntwo\n')
    agent.edit('a.txt', 'two', 'three')
    agent.prompt('second')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('next backup typed\nthree\n')
  })

  it('is not the start of the next turn where the last record contradicts that', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\nx\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.put('a.txt', 'typed\ntwo\n')
    agent.edit('a.txt', 'two', 'three')
    agent.put('a.txt', 'typed again\n')
    agent.prompt('second')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('nothing none ? records-disagree')
  })

  it('comes from the next turn after a command that may have written last', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.shell('npm run format', (disk) => disk.put('a.txt', 'formatted\n'))
    agent.prompt('second')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('next backup formatted\n')
  })

  it.each([
    ['cat > a.txt <<\'EOF\'\nnew $X\nEOF', 'steps command new $X\n'],
    ["printf 'a\\n' > a.txt", 'steps command a\n'],
    ['echo more >> a.txt', 'steps command two\nmore\n'],
    ['rm a.txt', 'steps command absent'],
    ['touch a.txt', 'steps edit two\n'],
  ])('is what the text of %s says', async (command, expected) => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.shell(command, () => undefined)
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe(expected)
  })

  it.each([
    ["sed -i 's/o/0/' a.txt", 'one\ntwo\n', 'steps command 0ne\ntw0\n'],
    ["cd . && sed -i -e 's/one/two/' -e 's/two/three/' a.txt", 'one\r\n', 'steps command three\r\n'],
    ["sed -i 's/x/y/' a.txt", 'one\n', 'steps command one\n'],
    ["sed -i 's/^./x/' a.txt", 'é\n', 'nothing none ? changed-by-command'],
  ])('is what %s makes of %j', async (command, before, expected) => {
    const agent = new SimulatedAgent({ 'a.txt': '-\n' })
    agent.prompt('first')
    agent.write('a.txt', before)
    agent.prompt('second')
    agent.shell(command, () => undefined)
    expect(await ended(await openAgent(agent), 2, 'a.txt')).toBe(expected)
  })

  it('is unknown after a sed where a read shows something else', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.shell("sed -i 's/two/three/' a.txt", (disk) => disk.put('a.txt', 'four\n'))
    agent.read('a.txt')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('nothing none ? records-disagree')
  })

  it.each([
    [false, 'next backup typed\n'],
    [true, 'steps command three\n'],
  ])('after a sed is told apart from what was typed then if a record shows it (%s)', async (isRead, expected) => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.shell("sed -i 's/two/three/' a.txt", (disk) => disk.put('a.txt', 'three\n'))
    if (isRead) agent.read('a.txt')
    agent.put('a.txt', 'typed\n')
    agent.prompt('second')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe(expected)
  })

  it('is unknown after the same command when it failed', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.shell('rm a.txt', () => undefined, { exitCode: 1 })
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('nothing none ? changed-by-command')
  })

  it('of a sed in a CRLF file comes from the next turn', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\r\n' })
    agent.prompt('first')
    agent.sed('a.txt', 'one', 'two')
    agent.prompt('second')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('next backup two\r\n')
  })

  it('of the last turn is proven by the disk where that is what the records saw last', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.edit('b.txt', 'b', 'c')
    agent.shell('npm test', (disk) => disk.put('b.txt', 'written by the test\n'))
    const opened = await openAgent(agent, true)
    expect([await ended(opened, 1, 'a.txt'), await ended(opened, 1, 'b.txt')]).toEqual(['disk disk two\n', 'nothing none ? changed-by-command'])
  })

  it('of the last turn is not proven by a read, which does not show blanks at the ends of lines', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('./unpack.sh', () => undefined)
    agent.prompt('third')
    agent.shell('./write.sh', (disk) => disk.put('a.txt', 'three  \n'))
    agent.read('a.txt')
    agent.put('a.txt', 'three\n')
    expect(await ended(await openAgent(agent, true), 3, 'a.txt')).toBe('nothing none ? changed-by-command')
  })

  it('tells what was known before a doubtful command, for telling later typing apart', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    const first = agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.shell('npm test', () => undefined)
    const { contents, workspace } = await openAgent(agent, true)
    await writeFile(join(workspace ?? '', 'a.txt'), 'two and mine\n')
    const { held, lastKnown } = await contents.endOf(promptId(first), workspacePath('a.txt'))
    expect([held.content.state.kind, Buffer.from(await lastKnown.content.read()).toString()]).toEqual(['unknown', 'two\n'])
  })

  it('holds where a turn that was set aside began, and not what that turn did', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    const second = agent.prompt('second')
    agent.edit('a.txt', 'two', 'dead')
    agent.rewind(second)
    agent.prompt('second again')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('steps edit two\n')
  })

  it('is unknown where a read in the middle shows that somebody changed the file', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.put('a.txt', 'typed\n')
    agent.read('a.txt')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('nothing none ? records-disagree')
  })

  it('is not the start of the next turn where a turn that was set aside lies between', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.shell('npm test', () => undefined)
    const second = agent.prompt('second')
    agent.edit('a.txt', 'two', 'left behind')
    agent.rewind(second, false)
    agent.prompt('second again')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('nothing none ? changed-by-command')
  })

  it('takes line ends from the next backup where the texts are the same', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.put('a.txt', 'two\r\n')
    agent.prompt('second')
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('next backup two\r\n')
  })

  it('is unknown after a command whose part may have failed without telling', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.shell('rm a.txt; echo done', () => undefined)
    expect(await ended(await openAgent(agent), 1, 'a.txt')).toBe('nothing none ? changed-by-command')
  })

  it('of the last turn needs the disk where the agent took a later turn back', async () => {
    const story = (withFiles: boolean): SimulatedAgent => {
      const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
      agent.prompt('first')
      agent.edit('a.txt', 'one', 'two')
      const second = agent.prompt('second')
      agent.edit('a.txt', 'two', 'dead')
      agent.rewind(second, withFiles)
      return agent
    }
    expect([await ended(await openAgent(story(true)), 1, 'a.txt'), await ended(await openAgent(story(true), true), 1, 'a.txt'), await ended(await openAgent(story(false), true), 1, 'a.txt')]).toEqual([
      'nothing none ? records-disagree',
      'disk disk two\n',
      'nothing none ? records-disagree',
    ])
  })

  it('has the mode of a new file from the next snapshot', async () => {
    const agent = new SimulatedAgent()
    agent.prompt('first')
    agent.write('a.txt', 'one\n')
    agent.put('a.txt', 'one\n', { mode: 0o600 })
    agent.prompt('second')
    const { contents } = await openAgent(agent)
    expect((await contents.now().end(0, workspacePath('a.txt'))).held.content.state).toMatchObject({ kind: 'file', mode: 0o600 })
  })
})
