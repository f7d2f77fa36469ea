import { describe, expect, it } from 'vitest'
import { raiseTaint } from '../../shared/policy.js'
import { classifyResult, redact } from './classify.js'
import { defaultPolicy } from './policy-shape.js'
import { sensitivityOf } from './sensitive-paths.js'

const go = new AbortController().signal
const classify = (text: string, paths: readonly string[] = [], tool = 'read_file', signal = go) =>
  classifyResult({ tool, paths, text, settings: defaultPolicy }, signal)
const token = `ghp_${'0123456789abcdefghijABCDEFGHIJ012345'}`

describe('classifyResult', () => {
  it('goes by the path: ordinary files are internal, nothing read is public', async () => {
    const levels = await Promise.all(
      [
        [],
        ['src/a.ts'],
        ['.env'],
        ['a/.env.local'],
        ['deploy/server.pem'],
        ['/home/u/.ssh/config'],
        ['credentials.json'],
        ['src/environment.ts'],
        ['src/a.ts', '.npmrc'],
      ].map(async (paths) => (await classify(paths.length > 0 ? 'text' : '', paths)).level),
    )
    expect(levels).toEqual(['PUBLIC', 'INTERNAL', 'RESTRICTED', 'RESTRICTED', 'RESTRICTED', 'RESTRICTED', 'CONFIDENTIAL', 'INTERNAL', 'RESTRICTED'])
  })

  it('does not count a name in a listing as its content', async () => {
    expect((await classify('.env', ['.env'], 'list_directory')).level).toBe('INTERNAL')
  })

  it('names the reason and the source, highest first', async () => {
    const { reasons } = await classify(`token: ${token}`, ['src/a.ts'])
    expect(reasons).toEqual([
      { level: 'RESTRICTED', why: 'Holds a secret (github token)', source: 'src/a.ts' },
      { level: 'INTERNAL', why: 'A file of the workspace', source: 'src/a.ts' },
    ])
  })

  it.each([
    ['GitHub', token],
    ['Slack', `xoxb-${'123456789012-1234567890123-abcdefghijklmnopqrstuvwx'}`],
    ['a database address', 'postgres://bob:p4ssw0rd@db.host/x'],
    ['any address', 'https://bob:s3cr3t-word@host/x'],
    ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----'],
    ['a cut private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA'],
    ['a setting', 'DB_PASSWORD=hunter2hunter2'],
    ['a quoted setting', '"API_KEY": "a8f5f167f44f4964e6c998dee827110c"'],
    ['a header', 'Authorization: Bearer abcdef0123456789abcdef'],
    ['GitLab', `glpat-${'abcdefghij0123456789'}`],
    ['AWS', `AKIA${'ABCDEFGHIJKLMNOP'}`],
  ])('finds a secret of %s wherever it stands, and takes it out', async (_name, secret) => {
    const text = `before ${secret}\nafter`
    const { level, secrets } = await classify(text)
    const [first] = secrets
    const kept = redact(text, secrets)
    const hidden = text.slice(first?.start, first?.end)
    expect([
      level,
      hidden.length > 5 && secret.includes(hidden),
      kept.includes(hidden),
      kept.startsWith('before '),
      kept.endsWith('\nafter'),
    ]).toEqual(['RESTRICTED', true, false, true, true])
  })

  it.each([
    'const token = getToken(user)',
    'PASSWORD=$PASSWORD',
    'TOKEN: process.env.TOKEN1234',
    'https://example.org/a@b',
    'https://user@host/x',
    'sha512-abc',
    'api_key: string',
  ])('leaves %s alone', async (text) => {
    expect((await classify(text)).secrets).toEqual([])
  })

  it('is not switched off by a comment in the text', async () => {
    expect((await classify(`// secretlint-disable\n${token}\n`)).level).toBe('RESTRICTED')
  })

  it('finds a secret across the seam of two pieces, once', async () => {
    const text = `${'x '.repeat(65_520)}${token} ${'y '.repeat(60_000)}`
    const { secrets } = await classify(text)
    expect(secrets.map(({ start, end }) => text.slice(start, end))).toEqual([token])
  })

  it('examines the first MiB only, and says so', async () => {
    const { level, secrets, reasons } = await classify(`${'x '.repeat(600_000)}${token}`)
    expect([level, secrets, reasons.some(({ why }) => why.includes('first MiB'))]).toEqual(['INTERNAL', [], true])
  })

  it('takes what it had no time for as confidential', async () => {
    const { level, reasons } = await classify('text', ['a.ts'], 'read_file', AbortSignal.abort())
    expect([level, reasons[0]?.why]).toEqual(['CONFIDENTIAL', 'Could not be examined for secrets in time'])
  })
})

describe('redact', () => {
  it('takes overlapping secrets out as one', () => {
    expect(
      redact('ab SECRET cd', [
        { start: 3, end: 7, rule: 'one' },
        { start: 5, end: 9, rule: 'two' },
      ]),
    ).toBe('ab [one taken out] cd')
  })
})

describe('sensitivityOf', () => {
  it('takes names at any depth, folders with all below, whole paths, in any case', () => {
    const patterns = [
      { pattern: '*.pem', level: 'RESTRICTED' },
      { pattern: 'secret/', level: 'CONFIDENTIAL' },
      { pattern: '/docs/*.md', level: 'INTERNAL' },
      { pattern: 'a/**/z', level: 'RESTRICTED' },
    ] as const
    const levels = ['x.pem', 'a/b/X.PEM', 'x.pem.txt', 'secret/a', 'b/secret/c/d', 'secrets/a', 'docs/a.md', 'b/docs/a.md', 'a/b/c/z'].map((path) =>
      sensitivityOf(path, patterns),
    )
    expect(levels).toEqual(['RESTRICTED', 'RESTRICTED', null, 'CONFIDENTIAL', 'CONFIDENTIAL', null, 'INTERNAL', null, 'RESTRICTED'])
  })
})

describe('raiseTaint', () => {
  it('rises and never falls', () => {
    expect([raiseTaint('PUBLIC', 'CONFIDENTIAL'), raiseTaint('RESTRICTED', 'PUBLIC'), raiseTaint('INTERNAL', 'INTERNAL')]).toEqual([
      'CONFIDENTIAL',
      'RESTRICTED',
      'INTERNAL',
    ])
  })
})
