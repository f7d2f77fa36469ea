import { describe, expect, it } from 'vitest'
import { promptId } from '../../shared/ids.js'
import { openAgent } from '../testing/open-simulated.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'
import { filesBetween, turnFiles, type TurnFile } from './turn-files.js'

function shown(files: readonly TurnFile[]): readonly string[] {
  return files.map(({ path, cause, before, after, refusal }) => `${path} ${refusal ? `${refusal.status}: ${refusal.reason}` : `${cause} ${before.content.state.kind} > ${after.content.state.kind}`}`)
}

async function filesOf(agent: SimulatedAgent, turn: number): Promise<readonly string[]> {
  const { contents, session } = await openAgent(agent)
  return shown(await turnFiles(contents, session.turns[turn - 1]?.promptId ?? promptId('')))
}

describe('the files of a turn', () => {
  it('are those that were edited, with what did it', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'ONE')
    agent.sed('b.txt', 'two', 'TWO')
    agent.write('c.txt', 'three\n')
    expect(await filesOf(agent, 1)).toEqual(['a.txt edit file > file', 'b.txt sed file > file', 'c.txt edit absent > file'])
  })

  it('leave out what was changed and changed back', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'ONE')
    agent.edit('a.txt', 'ONE', 'one')
    expect(await filesOf(agent, 1)).toEqual([])
  })

  it('name edits that were refused or failed, with the reason', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'ONE', { outcome: 'refused' })
    agent.edit('b.txt', 'two', 'TWO', { outcome: 'failed' })
    expect(await filesOf(agent, 1)).toEqual(['a.txt refused: The user said no.', 'b.txt failed: The file was changed since it was read.'])
  })

  it('list what a sed in the shell changed as its work, where it ended well', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' })
    agent.prompt('first')
    for (const path of ['a.txt', 'b.txt']) agent.edit(path, 'one', 'two')
    agent.prompt('second')
    agent.shell("sed -i 's/two/three/' a.txt", (disk) => disk.put('a.txt', 'three\n'))
    agent.shell("sed -i 's/two/three/' b.txt", () => undefined, { exitCode: 1 })
    agent.shell("sed -i 's/one/two/' c.txt && npm test", (disk) => disk.put('c.txt', 'two\n'))
    expect(await filesOf(agent, 2)).toEqual(['a.txt sed file > unknown', 'b.txt command file > unknown', 'c.txt sed unknown > unknown'])
  })

  it('list what commands name, with as much as their text tells', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.shell("cat > new.txt <<'EOF'\nx\nEOF", (disk) => disk.put('new.txt', 'x\n'))
    agent.shell('rm a.txt', (disk) => disk.remove('a.txt'))
    agent.shell('mv b.txt c.txt && rm /tmp/x', () => undefined)
    expect(await filesOf(agent, 1)).toEqual(['a.txt command unknown > absent', 'b.txt command unknown > absent', 'c.txt command unknown > unknown', 'new.txt command unknown > file'])
  })

  it('invent none for a command that does not tell', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.shell('python3 tidy.py', (disk) => disk.put('a.txt', 'tidy\n'))
    expect(await filesOf(agent, 1)).toEqual([])
  })

  it('list a tracked file that the next snapshot shows as changed after a command', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('python3 tidy.py', (disk) => disk.put('a.txt', 'tidy\n'))
    agent.prompt('third')
    expect(await filesOf(agent, 2)).toEqual(['a.txt command file > file'])
  })

  it('say that the cause is not known where somebody else changed the file in the middle', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\nx\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.put('a.txt', 'typed\ntwo\n')
    agent.edit('a.txt', 'two', 'three')
    agent.prompt('second')
    expect(await filesOf(agent, 1)).toEqual(['a.txt unknown file > file'])
  })

  it('of a turn that was set aside come from its calls alone', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    const second = agent.prompt('second')
    agent.edit('a.txt', 'one', 'two')
    agent.rewind(second)
    agent.prompt('again')
    const { contents } = await openAgent(agent)
    expect(shown(await turnFiles(contents, promptId(second)))).toEqual(['a.txt edit unknown > unknown'])
  })
})

describe('the files between two turns', () => {
  it('are those that the user changed', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'two\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'ONE')
    agent.edit('b.txt', 'two', 'TWO')
    agent.put('a.txt', 'ONE\nmine\n')
    agent.prompt('second')
    const { contents, session } = await openAgent(agent)
    expect(shown(await filesBetween(contents, session.turns[0]?.promptId ?? promptId('')))).toEqual(['a.txt user file > file'])
  })

  it('are none where a rewind of the agent lies between', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    const second = agent.prompt('second')
    agent.edit('a.txt', 'two', 'three')
    agent.rewind(second, false)
    agent.prompt('again')
    const { contents, session } = await openAgent(agent)
    expect(await filesBetween(contents, session.turns[0]?.promptId ?? promptId(''))).toEqual([])
  })
})
