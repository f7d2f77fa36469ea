import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workspacePath } from '../../shared/ids.js'
import { known, openAgent } from '../testing/open-simulated.js'
import { SimulatedAgent } from '../testing/simulated-agent.js'

describe('the start of a turn', () => {
  it('is the backup that was taken as the turn began', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.edit('a.txt', 'two', 'three')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt')]).toEqual(['one\n', 'two\n'])
  })

  it('is absent for a file that the turn created', async () => {
    const agent = new SimulatedAgent()
    agent.prompt('first')
    agent.write('a.txt', 'one\n')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('absent')
  })

  it('is unknown where the backup is gone, and never an older one', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.backups.delete([...agent.backups.keys()].find((name) => name.endsWith('@v2')) ?? '')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt')]).toEqual(['one\n', '? backup-missing'])
  })

  it('is unknown where a command may have changed the file before the first copy in that turn', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.shell('./build.sh', (disk) => disk.put('a.txt', 'built\n'))
    agent.edit('a.txt', 'built', 'edited')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('? changed-by-command')
  })

  it('is known where the command before the first copy names other files', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.shell('rm b.txt && git status', () => undefined)
    agent.edit('a.txt', 'one', 'two')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('one\n')
  })

  it('is known where the file was seen before the command, with the content that was copied after it', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell('./build.sh', () => undefined)
    agent.edit('a.txt', 'one', 'two')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('one\n')
  })

  it('is unknown where what was seen before the command is not what was copied after it', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell('./build.sh', (disk) => disk.put('a.txt', 'built\n'))
    agent.edit('a.txt', 'built', 'two')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('? records-disagree')
  })

  it('is unknown where the command between may be about line ends or blanks, which records lose', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\r\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell('npx prettier --write .', (disk) => disk.put('a.txt', 'one\n'))
    agent.edit('a.txt', 'one', 'two')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('? changed-by-command')
  })

  it('is unknown where what a read showed has another size than the recorder can have seen', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.put('a.txt', 'longer\n')
    agent.read('a.txt')
    expect(await known(await openAgent(agent), 2, 'a.txt')).toBe('? records-disagree')
  })

  it('is unknown where a command that names the file came before its first copy, although the same text was seen', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'one\r\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell('cp b.txt a.txt', (disk) => disk.put('a.txt', 'one\r\n'))
    agent.edit('a.txt', 'one', 'two')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('? changed-by-command')
  })

  it('is unknown for an empty file that a touch may have made just before its first copy', async () => {
    const agent = new SimulatedAgent()
    agent.prompt('first')
    agent.shell('touch a.txt', (disk) => disk.put('a.txt', ''))
    agent.write('a.txt', 'one\n')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('? changed-by-command')
  })

  it('is not proven by a read that showed more than the file now has, although a hook may have added that', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n\n\nmore\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell('./cut.sh', (disk) => disk.put('a.txt', 'one\n'))
    agent.edit('a.txt', 'one', 'two')
    expect(await known(await openAgent(agent), 1, 'a.txt')).toBe('? changed-by-command')
  })

  it('is not proven by a read of an earlier turn when a command came after that', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.shell('./go.sh', (disk) => disk.put('a.txt', 'gone\n'))
    agent.prompt('second')
    agent.shell('./come.sh', (disk) => disk.put('a.txt', 'one\n'))
    agent.edit('a.txt', 'one', 'two')
    expect(await known(await openAgent(agent), 2, 'a.txt')).toBe('? changed-by-command')
  })

  it('is not proven by a read of an earlier turn when an edit without a result came after that', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.read('a.txt')
    agent.edit('a.txt', 'one', 'two', { outcome: 'unanswered' })
    agent.resume(['a.txt'])
    agent.prompt('second')
    agent.shell('./come.sh', (disk) => disk.put('a.txt', 'one\n'))
    agent.edit('a.txt', 'one', 'three')
    expect(await known(await openAgent(agent), 2, 'a.txt')).toBe('? changed-by-command')
  })

  it('is unknown where lines of the log are missing, even for a file that did not exist', async () => {
    const agent = new SimulatedAgent()
    agent.prompt('first')
    agent.prompt('second')
    agent.reply('lost')
    agent.reply('kept')
    agent.prompt('third')
    agent.write('a.txt', 'one\n')
    agent.log.lines.splice(agent.log.lines.findIndex((line) => line.includes('"lost"')), 1)
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 3, 'a.txt')]).toEqual(['? log-broken', 'absent'])
  })

  it('is unknown where a second writer has used the name of the backup again', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    const fork = agent.log.tip
    agent.prompt('second')
    const live = agent.log.tip
    const later = { timestamp: new Date(Date.UTC(2026, 0, 5, 9)).toISOString() }
    agent.log.tip = fork
    agent.log.user('the other', later)
    agent.log.call('other-1', 'edit', { file_path: '/home/dev/acme/a.txt', old_string: 'typed', new_string: 'other' })
    agent.log.result('other-1', 'edit', 'The file has been updated.', '', later)
    const [name = ''] = [...agent.backups.keys()].filter((each) => each.endsWith('@v2'))
    agent.backups.set(name, { bytes: Buffer.from('typed\n'), mode: 0o644, mtime: 0 })
    agent.log.tip = live
    agent.prompt('third')
    expect(await known(await openAgent(agent), 2, 'a.txt')).toBe('? records-disagree')
  })

  it('is unknown where the recorder itself has used the name of the backup again', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'x', { outcome: 'failed' })
    agent.resume(['a.txt'])
    agent.prompt('second')
    agent.put('a.txt', 'typed\n')
    agent.prompt('third')
    agent.edit('a.txt', 'typed', 'two')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 3, 'a.txt')]).toEqual(['? records-disagree', 'typed\n'])
  })

  it('takes a read for no contradiction where only a hook may have added the rest', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.prompt('second')
    agent.put('a.txt', 'two\n\nmore')
    agent.read('a.txt')
    agent.put('a.txt', 'two')
    expect(await known(await openAgent(agent), 2, 'a.txt')).toBe('two')
  })

  it('has no mode where a command may have changed it before the first copy', async () => {
    const agent = new SimulatedAgent({ 'a.sh': 'one\n' })
    agent.prompt('first')
    agent.shell('chmod +x a.sh', (disk) => disk.put('a.sh', 'one\n', { mode: 0o755 }))
    agent.edit('a.sh', 'one', 'two')
    const { contents } = await openAgent(agent)
    expect((await contents.now().start(0, workspacePath('a.sh'))).content.state).toMatchObject({ kind: 'file', mode: null, sizeBytes: 4 })
  })

  it('does not take the backup of a turn that was set aside', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    const second = agent.prompt('second')
    agent.edit('a.txt', 'two', 'dead')
    agent.prompt('third')
    agent.rewind(second)
    agent.prompt('second again')
    agent.edit('a.txt', 'two', 'three')
    agent.prompt('fourth')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt'), await known(opened, 3, 'a.txt'), await known(opened, 'end', 'a.txt')]).toEqual(['one\n', 'two\n', 'three\n', 'three\n'])
  })

  it('is unknown in a log without snapshots', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first', false)
    agent.edit('a.txt', 'one', 'two')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 'end', 'a.txt')]).toEqual(['? no-record', '? no-record'])
  })

  it('is known beyond the number of snapshots that the recorder itself keeps', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' }, 2)
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    for (const word of ['second', 'third', 'fourth']) agent.prompt(word)
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt')]).toEqual(['? backup-missing', 'two\n'])
  })

  it('is unknown after a command has made the path a link, through which the recorder copies', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n' })
    agent.prompt('first')
    agent.shell('ln -sf b.txt a.txt', () => undefined)
    agent.prompt('second')
    agent.edit('a.txt', 'one', 'two')
    expect(await known(await openAgent(agent), 2, 'a.txt')).toBe('? records-disagree')
  })

  it('is unknown before a command that removes the path and puts a file there, as one does with a link', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    agent.write('new.txt', 'mine\n')
    agent.prompt('second')
    agent.shell('rm a.txt new.txt && cp b.txt a.txt && cp b.txt new.txt', () => undefined)
    agent.prompt('third')
    const opened = await openAgent(agent)
    expect([await known(opened, 1, 'a.txt'), await known(opened, 2, 'a.txt'), await known(opened, 2, 'new.txt')]).toEqual(['? records-disagree', '? records-disagree', 'mine\n'])
  })

  it('is the link where the disk shows one and nothing can have replaced it', async () => {
    const agent = new SimulatedAgent({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
    agent.prompt('first')
    agent.edit('a.txt', 'one', 'two')
    const opened = await openAgent(agent, true)
    const link = join(opened.workspace ?? '', 'a.txt')
    await rm(link)
    await symlink('b.txt', link)
    expect(await known(opened, 1, 'a.txt')).toBe('-> b.txt')
  })
})
