import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ripgrepProgram } from './ripgrep.js'
import { searchFiles, type SearchMatch, type SearchRequest, type SearchResult, type SearchWatch } from './search.js'

const isRoot = process.getuid?.() === 0
let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'search-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, content: string | Uint8Array = 'needle\n'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const request = (pattern: string, more: Partial<SearchRequest> = {}): SearchRequest => ({
  folder: root, pattern, contentSearch: false, isRegex: false, isCaseSensitive: true, respectIgnore: true, includeHidden: true, ...more,
})
const names = async (pattern: string, more: Partial<SearchRequest> = {}): Promise<string[]> =>
  (await searchFiles(root, request(pattern, more))).matches.map(({ path }) => path)
const contents = (pattern: string, more: Partial<SearchRequest> = {}, watch: SearchWatch = {}): Promise<SearchResult> =>
  searchFiles(root, request(pattern, { contentSearch: true, ...more }), watch)
const places = async (pattern: string, more: Partial<SearchRequest> = {}, watch: SearchWatch = {}): Promise<string[]> =>
  (await contents(pattern, more, watch)).matches.map(({ path, line, column }) => `${path}:${line}:${column}`)

describe('searchFiles by name', () => {
  it('finds names at any depth, and paths from the workspace or from the folder', async () => {
    for (const path of ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/deep/c.js', 'lib/src/d.ts']) write(path)
    expect(await Promise.all([
      names('*.ts'),
      names('src/**/c.ts'),
      names('./src/*.ts'),
      names('deep/*.{ts,js}', { folder: join(root, 'src') }),
      names('src/*.ts', { folder: join(root, 'src') }),
      names('B.TS', { isCaseSensitive: false }),
      names('B.TS'),
    ])).toEqual([
      ['a.ts', 'lib/src/d.ts', 'src/b.ts', 'src/deep/c.ts'],
      ['src/deep/c.ts'],
      ['src/b.ts'],
      ['src/deep/c.js', 'src/deep/c.ts'],
      ['src/b.ts'],
      ['src/b.ts'],
      [],
    ])
  })

  it('leaves out what is ignored unless told, what is hidden when told, and .git always', async () => {
    for (const path of ['.git/x.ts', 'sub/.git/x.ts', 'node_modules/x.ts', '.config/x.ts', 'x.ts', '.x.ts', 'sub/kept/x.ts', 'sub/x.ts']) write(path)
    write('.gitignore', 'node_modules/\nx.ts\n!sub/x.ts\n')
    write('sub/.gitignore', 'kept\n')
    expect(await Promise.all([names('*x.ts'), names('*x.ts', { respectIgnore: false }), names('*x.ts', { respectIgnore: false, includeHidden: false })])).toEqual([
      ['.x.ts', 'sub/x.ts'],
      ['.config/x.ts', '.x.ts', 'node_modules/x.ts', 'sub/kept/x.ts', 'sub/x.ts', 'x.ts'],
      ['node_modules/x.ts', 'sub/kept/x.ts', 'sub/x.ts', 'x.ts'],
    ])
  })

  it('gives links by their names and never what lies behind them', async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')))
    writeFileSync(join(outside, 'secret.ts'), 'needle\n')
    symlinkSync(outside, join(root, 'out.ts'))
    symlinkSync(join(outside, 'secret.ts'), join(root, 'file.ts'))
    const found = [await names('*.ts'), await places('needle'), await places('needle', {}, { ripgrep: null })]
    rmSync(outside, { recursive: true })
    expect(found).toEqual([['file.ts', 'out.ts'], [], []])
  })

  it('stops at the limit, says so, and has handed on what it shows', async () => {
    for (let at = 0; at < 30; at++) write(`${at}.ts`)
    const batches: SearchMatch[] = []
    const found = await searchFiles(root, request('*.ts', { maxMatches: 10 }), { onMatches: (matches) => batches.push(...matches) })
    expect([found.matches.length, found.isCut, found.cutWhy, found.filesSearched, new Set(batches)]).toEqual([
      10, true, expect.stringContaining('first 10 matches'), null, new Set(found.matches),
    ])
  })

  it('tells a limit that was just reached from more matches', async () => {
    for (let at = 0; at < 10; at++) write(`${at}.ts`)
    expect(await searchFiles(root, request('*.ts', { maxMatches: 10 }))).toMatchObject({ isCut: false, filesSearched: 10 })
    expect(await contents('needle', { maxMatches: 10 })).toMatchObject({ isCut: false, cutWhy: null, filesSearched: 10 })
  })
})

describe.each<[string, SearchWatch]>([
  ['ripgrep', {}],
  ['reading', { ripgrep: null }],
])('searchFiles by content, with %s', (way, watch) => {
  it('finds plain text, gives line, column in characters and the line', async () => {
    write('a.ts', 'one\r\néé x.y(z) tail\r\nx-y\r\n')
    const found = await contents('x.y(', {}, watch)
    expect(found).toMatchObject({
      matches: [{ path: 'a.ts', isPathLossy: false, line: 2, column: 4, text: 'éé x.y(z) tail', isTextCut: false }],
      isCut: false,
      filesSearched: 1,
    })
  })

  it('obeys case, ignore rules and hidden files as told', async () => {
    for (const path of ['a', '.b', '.git/config', 'ignored/c', '.github/d']) write(path, 'Needle\n')
    write('.gitignore', 'ignored\n')
    expect([
      await places('needle', {}, watch),
      await places('needle', { isCaseSensitive: false }, watch),
      await places('Needle', { includeHidden: false }, watch),
      await places('Needle', { respectIgnore: false }, watch),
    ]).toEqual([[], ['.b:1:1', '.github/d:1:1', 'a:1:1'], ['a:1:1'], ['.b:1:1', '.github/d:1:1', 'a:1:1', 'ignored/c:1:1']])
  })

  it('takes the rules of the repository around a folder, not those above the repository', async () => {
    write('.gitignore', '*\n')
    for (const path of ['repo/.git/HEAD', 'repo/a', 'repo/b', 'repo/sub/a', 'repo/sub/inner/.git/HEAD', 'repo/sub/inner/b']) write(path)
    write('repo/.gitignore', 'b\n')
    write('repo/.git/info/exclude', 'a\n')
    const inRepo = async (folder: string): Promise<string[]> =>
      (await searchFiles(join(root, 'repo'), { ...request('needle', { contentSearch: true }), folder: join(root, folder) }, watch)).matches.map(({ path }) => path)
    expect([await inRepo('repo'), await inRepo('repo/sub')]).toEqual([['sub/inner/b'], ['sub/inner/b']])
  })

  it('takes the rules of the workspace without a repository, and none from above it', async () => {
    write('.gitignore', '*\n')
    for (const path of ['ws/a', 'ws/b', 'ws/sub/b', 'ws/sub/c']) write(path)
    write('ws/.gitignore', 'b\n')
    const inWorkspace = async (folder: string): Promise<string[]> =>
      (await searchFiles(join(root, 'ws'), { ...request('needle', { contentSearch: true }), folder: join(root, folder) }, watch)).matches.map(({ path }) => path)
    expect([await inWorkspace('ws'), await inWorkspace('ws/sub')]).toEqual([['a', 'sub/c'], ['sub/c']])
  })

  it('cuts a long line around its match and says so', async () => {
    write('long', `${'a'.repeat(3_000_000)}needle${'b'.repeat(100_000)}\nneedle\n`)
    write('end', `${'é'.repeat(1000)}needle\n`)
    const { matches } = await contents('needle', {}, watch)
    expect(matches.map(({ path, column, text, isTextCut }) => [path, column, text, isTextCut])).toEqual([
      ['end', 1001, `…${'é'.repeat(394)}needle`, true],
      ['long', 3_000_001, `…${'a'.repeat(150)}needle${'b'.repeat(244)}…`, true],
      ['long', 1, 'needle', false],
    ])
  })

  it('stops at the limit and says so', async () => {
    for (let at = 0; at < 5; at++) write(`${at}`, 'needle\n'.repeat(1000))
    const found = await contents('needle', { maxMatches: 7 }, watch)
    expect([found.matches.length, found.isCut, found.filesSearched]).toEqual([7, true, null])
  })

  it('skips binary files and says so, but reads UTF-16', async () => {
    write('data.bin', Buffer.from([0, 1, 2, ...Buffer.from('needle\n')]))
    write('utf16', Buffer.from('\ufeffx needle\n', 'utf16le'))
    const found = await contents('needle', {}, watch)
    expect([found.matches.map(({ path, column }) => [path, column]), found.notes]).toEqual([[['utf16', 3]], expect.arrayContaining(['Binary files are not searched.'])])
  })

  it.skipIf(process.platform !== 'linux')('takes hostile file names as they are, and marks those that are no UTF-8', async () => {
    write('-e')
    write('new\nline')
    write('a:1:1')
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad`), Buffer.from([0xff])]), 'needle\n')
    mkdirSync(Buffer.concat([Buffer.from(`${root}/dir`), Buffer.from([0xff])]))
    writeFileSync(Buffer.concat([Buffer.from(`${root}/dir`), Buffer.from([0xff]), Buffer.from('/in')]), 'needle\n')
    write('real\ufffd')
    const wanted = [['-e', false], ['a:1:1', false], ['bad\ufffd', true], ['dir\ufffd/in', true], ['new\nline', false], ['real\ufffd', false]]
    const shown = ({ matches }: SearchResult): unknown => matches.map(({ path, isPathLossy }) => [path, isPathLossy])
    expect([shown(await contents('needle', {}, watch)), shown(await searchFiles(root, request('*')))]).toEqual([wanted, wanted])
  })

  it('takes hostile patterns as text', async () => {
    write('a', '-e --files $(touch x) "quoted" \\ [\n')
    expect(await Promise.all(['-e', '--files', '$(touch x)', '"quoted"', '\\', '['].map((pattern) => places(pattern, {}, watch)))).toEqual([
      ['a:1:1'], ['a:1:4'], ['a:1:12'], ['a:1:23'], ['a:1:32'], ['a:1:34'],
    ])
    expect(await names('x')).toEqual([])
  })

  it.skipIf(isRoot)('says how many files could not be read', async () => {
    write('a')
    write('b')
    chmodSync(join(root, 'b'), 0)
    expect(await contents('needle', {}, watch)).toMatchObject({ matches: [{ path: 'a' }], notes: expect.arrayContaining(['1 file could not be read.']) })
  })

  it('ends when it is cancelled', async () => {
    write('a')
    await expect(contents('needle', {}, { ...watch, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(way).not.toBe('')
  })
})

describe('searchFiles', () => {
  it('refuses patterns that cannot be used, with the reason', async () => {
    write('a')
    const reasons = await Promise.all(
      [
        searchFiles(root, request('')),
        contents('a\0'),
        contents('a\nb'),
        contents('(', { isRegex: true }),
        contents('a{99999}{99999}', { isRegex: true }),
        searchFiles(root, request('{a,b}'.repeat(20))),
        searchFiles(root, request('*', { folder: join(root, 'gone') })),
        contents('x', { isRegex: true }, { ripgrep: null }),
      ].map((search) => search.then(() => 'found', ({ code, message }: { code: string; message: string }) => `${code} ${message}`)),
    )
    expect(reasons).toEqual([
      'INVALID_PARAMS The pattern is empty. Say what to search for.',
      'INVALID_PARAMS The pattern has a NUL character, which no name and no line of text has. Leave it out.',
      'INVALID_PARAMS The pattern has a line break, but lines are searched one by one. Search for one of the lines.',
      'INVALID_PARAMS The pattern is no regular expression that can be searched for: unclosed group. Correct it, or search for plain text.',
      expect.stringMatching(/^INVALID_PARAMS .*(size limit|too large|too big)/i),
      'INVALID_PARAMS The braces stand for more than 256 patterns. Search for fewer at once.',
      'FILE_NOT_FOUND The folder to search is not there. List the folder above to see what is.',
      expect.stringContaining('TOOL_FAILED Regular expressions cannot be searched for'),
    ])
  })

  it('finds regular expressions, look-around too', async () => {
    write('a', 'foo1\nfoobar\nfoo2\n')
    expect([await places('foo\\d', { isRegex: true }), await places('foo(?!bar)', { isRegex: true }), await places('foo\\d')]).toEqual([['a:1:1', 'a:3:1'], ['a:1:1', 'a:3:1'], []])
  })

  it('names a file that turned out to be binary after a match', async () => {
    write('mixed', `needle\n${'x\n'.repeat(100_000)}\0`)
    write('zzz')
    const found = await contents('needle')
    expect([found.matches.map(({ path }) => path), found.binaryPaths]).toEqual([['mixed', 'zzz'], ['mixed']])
  })

  it('names it where it is the last one with a match, and where its name is long', async () => {
    const name = 'n'.repeat(240)
    write(name, `needle\n${'x\n'.repeat(100_000)}\0`)
    const found = await contents('needle')
    expect([found.matches.map(({ path }) => path), found.binaryPaths]).toEqual([[name], [name]])
    write('zzz')
    expect((await contents('needle')).matches.map(({ path }) => path)).toEqual([name, 'zzz'])
  })

  it('searches a single file', async () => {
    write('a')
    write('b')
    expect(await places('needle', { folder: join(root, 'b') })).toEqual(['b:1:1'])
  })

  it('reads no configuration of the search program', async () => {
    write('a')
    write('rc', '--invert-match\n')
    process.env['RIPGREP_CONFIG_PATH'] = join(root, 'rc')
    const found = await places('needle')
    delete process.env['RIPGREP_CONFIG_PATH']
    expect(found).toEqual(['a:1:1'])
  })

  it('gives what was found until its time was up', async () => {
    write('a')
    expect(await contents('needle', {}, { timeLimitMs: 0 })).toMatchObject({ isCut: true, cutWhy: expect.stringContaining('stopped after 0 seconds') })
  })

  it('has the search program of this platform', () => {
    expect(spawnSync(ripgrepProgram() ?? '', ['--version']).stdout.toString()).toMatch(/^ripgrep 1/)
  })
})
