import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { known, openAgent } from '../testing/open-simulated.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'

/** An agent that reads `a.txt`, runs a sed on it and edits it in the next turn, which is when the recorder first copies it. */
function story(before: string, command: string, after: string): SimulatedAgent {
  const agent = new SimulatedAgent({ 'a.txt': before })
  agent.prompt('first')
  agent.read('a.txt')
  agent.shell(command, (disk) => disk.put('a.txt', after))
  agent.prompt('second')
  agent.edit('a.txt', after.trim(), 'edited')
  return agent
}

async function starts(agent: SimulatedAgent): Promise<readonly string[]> {
  const opened = await openAgent(agent)
  return Promise.all(agent.moments.map((_, at) => known(opened, at + 1, 'a.txt')))
}

const change = "sed -i 's/one/two/' a.txt"

describe('what a file was before a recorded sed', () => {
  it('is the text that was read, where the command makes the later copy of it', async () => {
    expect(await starts(story('one x\n', change, 'two x\n'))).toEqual(['one x\n', 'two x\n'])
  })

  it('is found over two of them', async () => {
    expect(await starts(story('one x\n', `${change} && sed -i 's/x/y/' a.txt`, 'two y\n'))).toEqual(['one x\n', 'two y\n'])
  })

  it('is unknown where the copy is not what the command makes of the text', async () => {
    expect(await starts(story('one x\n', change, 'two and more\n'))).toEqual(['? changed-by-command', 'two and more\n'])
  })

  it('is unknown where the command may have taken blanks away that a read does not show', async () => {
    expect(await starts(story('one  \n', "sed -i 's/one *$/two/' a.txt", 'two\n'))).toEqual(['? changed-by-command', 'two\n'])
  })

  it('is unknown where the read does not show the line ends', async () => {
    expect(await starts(story('one\r\n', change, 'two\r\n'))).toEqual(['? changed-by-command', 'two\r\n'])
  })

  it.each([
    ['failed', { exitCode: 1 }],
    ['went on in the background', { isBackground: true }],
  ])('is unknown where the command %s', async (_case, options) => {
    const agent = new SimulatedAgent({ 'a.txt': 'one x\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell(change, (disk) => disk.put('a.txt', 'two x\n'), options)
    agent.prompt('second')
    agent.edit('a.txt', 'two', 'three')
    expect(await starts(agent)).toEqual(['? changed-by-command', 'two x\n'])
  })

  it('is not the text of a read in an earlier turn, since somebody may have typed between', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one one\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.prompt('second')
    agent.put('a.txt', 'two one\n')
    agent.prompt('third')
    agent.shell("sed -i 's/one/two/g' a.txt", (disk) => disk.put('a.txt', 'two two\n'))
    agent.prompt('fourth')
    agent.edit('a.txt', 'two two', 'edited')
    expect(await starts(agent)).toEqual(['? changed-by-command', '? changed-by-command', '? changed-by-command', 'two two\n'])
  })

  it('is what is there afterwards where no replacement is in it, and where that was read before', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'x\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.prompt('second')
    agent.shell(change, (disk) => disk.put('a.txt', 'x\n'))
    agent.prompt('third')
    agent.edit('a.txt', 'x', 'y')
    expect(await starts(agent)).toEqual(['x\n', 'x\n', 'x\n'])
  })

  it('is unknown where the command would have changed what is there afterwards, so that somebody has changed it back', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell(change, (disk) => disk.put('a.txt', 'two\n'))
    agent.prompt('second')
    agent.put('a.txt', 'one\n')
    agent.prompt('third')
    agent.edit('a.txt', 'one', 'three')
    expect(await starts(agent)).toEqual(['? changed-by-command', '? no-record', 'one\n'])
  })

  it('is unknown where another command stands between the read and the sed', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one x\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell('npm run format', (disk) => disk.put('a.txt', 'one  x\n'))
    agent.shell("sed -i 's/ .x/ x/;s/one/two/' a.txt", (disk) => disk.put('a.txt', 'two x\n'))
    agent.prompt('second')
    agent.edit('a.txt', 'two', 'three')
    expect(await starts(agent)).toEqual(['? changed-by-command', 'two x\n'])
  })

  it('is the start of a turn that copies the file only after the sed', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one x\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell(change, (disk) => disk.put('a.txt', 'two x\n'))
    agent.edit('a.txt', 'two', 'three')
    expect(await starts(agent)).toEqual(['one x\n'])
  })

  it('is not that where the copy was not of what the sed wrote', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one x\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell(change, (disk) => disk.put('a.txt', 'two x\n'))
    agent.put('a.txt', 'two typed\n')
    agent.edit('a.txt', 'two', 'three')
    expect(await starts(agent)).toEqual(['? records-disagree'])
  })

  it('is unknown where the record of the edit contradicts the copy', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one x\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell(change, (disk) => disk.put('a.txt', 'two x\n'))
    agent.put('a.txt', 'two typed\n')
    agent.edit('a.txt', 'two', 'three')
    for (const [name, file] of agent.backups) agent.backups.set(name, { ...file, bytes: Buffer.from('two x\n') })
    expect(await starts(agent)).toEqual(['? records-disagree'])
  })

  it('has no mode where a command behind the sed may have changed that', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one x\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell(change, (disk) => disk.put('a.txt', 'two x\n'))
    agent.shell('chmod 755 a.txt', (disk) => disk.put('a.txt', 'two x\n', { mode: 0o755 }))
    agent.prompt('second')
    agent.edit('a.txt', 'two', 'three')
    const { contents } = await openAgent(agent)
    const modes = await Promise.all([0, 1].map(async (turn) => (await contents.now().start(turn, workspacePath('a.txt'))).content.state))
    expect(modes).toMatchObject([{ kind: 'file', mode: null, sizeBytes: 6 }, { kind: 'file', mode: 0o755 }])
  })

  it('counts as seen in later turns, back over the sed', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one x\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell(change, (disk) => disk.put('a.txt', 'two x\n'))
    agent.prompt('second')
    agent.prompt('third')
    agent.edit('a.txt', 'two', 'three')
    expect(await starts(agent)).toEqual(['one x\n', 'two x\n', 'two x\n'])
  })
})
