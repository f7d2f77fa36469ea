import { describe, expect, it } from 'vitest'
import { known, openAgent } from '../testing/open-simulated.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'

/** A time before every backup. */
const old = 1

describe('a backup that the recorder carried over from an earlier turn', () => {
  it('is unknown after a command that may leave an old time', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'ONE\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('cp -p b.txt a.txt', (disk) => disk.put('a.txt', 'ONE\n', { mtime: old }))
    agent.prompt('third')
    const opened = await openAgent(agent)
    expect([await known(opened, 2, 'a.txt'), await known(opened, 3, 'a.txt')]).toEqual(['two\n', '? changed-by-command'])
  })

  it('is what a read showed, where only the bytes that it showed fit the size that the recorder saw', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('touch -d 2020-01-01 a.txt', (disk) => disk.put('a.txt', 'TWO\n', { mtime: old }))
    agent.prompt('third')
    agent.read('a.txt')
    expect(await known(await openAgent(agent), 3, 'a.txt')).toBe('TWO\n')
  })

  it('is known where a later read confirms it', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('./unpack.sh', () => undefined)
    agent.prompt('third')
    agent.prompt('fourth')
    agent.read('a.txt')
    const opened = await openAgent(agent)
    expect([await known(opened, 3, 'a.txt'), await known(opened, 4, 'a.txt')]).toEqual(['two\n', 'two\n'])
  })

  it('is known after commands that leave fresh times', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('npm test', () => undefined)
    agent.prompt('third')
    expect(await known(await openAgent(agent), 3, 'a.txt')).toBe('two\n')
  })

  it('is known after an own edit, whose fresh time made the recorder look again', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('./unpack.sh', () => undefined)
    agent.edit('a.txt', 'two', 'three')
    agent.edit('a.txt', 'three', 'two')
    agent.prompt('third')
    expect(await known(await openAgent(agent), 3, 'a.txt')).toBe('two\n')
  })

  it('is known where a read after the doubtful command shows it', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('./unpack.sh', () => undefined)
    agent.read('a.txt')
    agent.prompt('third')
    expect(await known(await openAgent(agent), 3, 'a.txt')).toBe('two\n')
  })

  it('is unknown where a later read contradicts it', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('./unpack.sh', (disk) => disk.put('a.txt', 'TWO\n', { mtime: old }))
    agent.prompt('third')
    agent.prompt('fourth')
    agent.read('a.txt')
    const opened = await openAgent(agent)
    expect([await known(opened, 3, 'a.txt'), await known(opened, 4, 'a.txt')]).toEqual(['? records-disagree', 'TWO\n'])
  })

  it('is not confirmed by a read after a command that may have brought the content back', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.shell('./unpack.sh', (disk) => disk.put('a.txt', 'TWO\n', { mtime: old }))
    agent.prompt('third')
    agent.shell('git checkout a.txt', (disk) => disk.put('a.txt', 'two\n'))
    agent.read('a.txt')
    expect(await known(await openAgent(agent), 3, 'a.txt')).toBe('? changed-by-command')
  })

  it('is not what a read showed where that has another size than the recorder saw', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.prompt('third')
    agent.put('a.txt', 'longer\n')
    agent.read('a.txt')
    expect(await known(await openAgent(agent), 3, 'a.txt')).toBe('? records-disagree')
  })

  it('is unknown where it is no UTF-8 and was edited since', async () => {
    const agent = new SimulatedAgent({ 'a.txt': Buffer.from('caf\xe9\n', 'latin1') })
    agent.prompt('first')
    agent.edit('a.txt', 'caf\xe9', 'caf\xe8')
    agent.prompt('second')
    expect(await known(await openAgent(agent), 2, 'a.txt')).toBe('? changed-by-command')
  })

  it('is unknown where it is no UTF-8 and may have been written by a command', async () => {
    const agent = new SimulatedAgent({ 'a.txt': Buffer.from('caf\xe9\n', 'latin1') })
    agent.prompt('first')
    agent.edit('a.txt', 'caf\xe9', 'x', { outcome: 'failed' })
    agent.prompt('second')
    agent.shell('printf x > a.txt', (disk) => disk.put('a.txt', Buffer.from('caf\xe8\n', 'latin1')))
    agent.prompt('third')
    expect(await known(await openAgent(agent), 3, 'a.txt')).toBe('? changed-by-command')
  })

  it('is unknown where it is from a turn that was set aside, in which a command may have left an old time', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    const second = agent.prompt('second')
    agent.shell('./unpack.sh', (disk) => disk.put('a.txt', 'TWO\n', { mtime: old }))
    agent.rewind(second)
    agent.prompt('second again')
    expect([agent.text('a.txt'), await known(await openAgent(agent), 2, 'a.txt')]).toEqual(['TWO\n', '? changed-by-command'])
  })
})
