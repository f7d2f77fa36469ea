import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { known, openAgent } from '../testing/open-simulated.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'

describe('the start of a turn before the first copy of a file', () => {
  it('comes from the next snapshot, changed or not, where the turn has none of its own', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.prompt('/compress', false)
    agent.prompt('fourth')
    agent.put('a.txt', 'typed\n')
    agent.prompt('fifth')
    const opened = await openAgent(agent)
    expect([await known(opened, 3, 'a.txt'), await known(opened, 5, 'a.txt')]).toEqual(['two\n', 'typed\n'])
  })

  it('does not take an entry that the recorder put into the snapshot of an earlier turn', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.prompt('second', false)
    agent.put('a.txt', 'typed\n')
    agent.edit('a.txt', 'typed', 'two')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt')]).toEqual(['? no-record', '? no-record'])
  })

  it('is not absent because of a later first copy where a turn that was set aside shows that the file was there', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    const second = agent.prompt('second')
    agent.edit('a.txt', 'one', 'dead')
    agent.rewind(second)
    agent.remove('a.txt')
    agent.prompt('second again')
    agent.write('a.txt', 'two\n')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt')]).toEqual(['? no-record', 'absent'])
  })

  it('is carried back from the first copy to where a read shows the same, and nothing can have changed the file between', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
    agent.prompt('first')
    agent.edit('b.txt', 'b', 'c')
    agent.prompt('second')
    agent.read('a.txt')
    agent.prompt('third')
    agent.prompt('fourth')
    agent.edit('a.txt', 'one', 'two')
    const opened = await openAgent(agent)
    expect(await Promise.all([1, 2, 3, 4].map((turn) => known(opened, turn, 'a.txt')))).toEqual(['? no-record', 'one\n', 'one\n', 'one\n'])
  })

  it('is carried back from the first copy without more where that says that there was no file', async () => {
    const agent = new SimulatedAgent()
    agent.prompt('first')
    agent.prompt('second')
    agent.write('a.txt', 'one\n')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('absent')
  })

  it('is not carried back over a command that may have changed the file', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'zero\n' })
    agent.prompt('first')
    agent.shell('npm run build', (disk) => disk.put('a.txt', 'one\n'))
    agent.prompt('second')
    agent.edit('a.txt', 'one', 'two')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt')]).toEqual(['? changed-by-command', 'one\n'])
  })

  it('is not carried back where a read before showed another content', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'zero\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.prompt('second')
    agent.put('a.txt', 'one\n')
    agent.prompt('third')
    agent.edit('a.txt', 'one', 'two')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt'), await known(opened, 3, 'a.txt')]).toEqual(['? records-disagree', '? records-disagree', 'one\n'])
  })

  it('has no mode where a command may have changed it after what was seen', async () => {
    const agent = new SimulatedAgent({ 'a.sh': 'one\n' })
    agent.prompt('first')
    agent.read('a.sh')
    agent.shell('chmod +x a.sh', (disk) => disk.put('a.sh', 'one\n', { mode: 0o755 }))
    agent.prompt('second')
    agent.edit('a.sh', 'one', 'two')
    const { contents } = await openAgent(agent)
    expect((await contents.now().start(0, workspacePath('a.sh'))).content.state).toMatchObject({ kind: 'file', mode: null, sizeBytes: 4 })
  })

  it('is carried back over a turn that was set aside, where its edit began from the same content', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.edit('b.txt', 'b', 'c')
    const second = agent.prompt('second')
    agent.edit('a.txt', 'one', 'dead')
    agent.rewind(second)
    agent.prompt('second again')
    agent.edit('a.txt', 'one', 'two')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('one\n')
  })

  it('is not carried back over a turn that was set aside and left its changes behind', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'b\n' })
    agent.prompt('first')
    agent.edit('b.txt', 'b', 'c')
    const second = agent.prompt('second')
    agent.edit('a.txt', 'one', 'left')
    agent.rewind(second, false)
    agent.prompt('second again')
    agent.edit('a.txt', 'left', 'two')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt')]).toEqual(['? no-record', 'left\n'])
  })
})
