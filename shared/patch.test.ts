import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { formatPatch } from './patch.js'
import type { PatchFile, PatchMode, PatchSide, PatchTools } from './patch.js'
import { RandomTexts } from './testing/random-texts.js'

const seed = Number(process.env['SEED'] ?? 1)
const tools: PatchTools = {
  // The level at which git deflates.
  deflate: (bytes) => deflateSync(bytes, { level: 1 }),
  sha1: (bytes) => createHash('sha1').update(bytes).digest('hex'),
}
const oddNames = [
  'plain.ts',
  'sp ace',
  ' lead and trail ',
  '-dash',
  'tab\there',
  'new\nline',
  'quo"te',
  'back\\slash',
  'ümlaut',
  '漢字😀',
  "it's $HOME",
  'x b/x',
  'bell\x07\x7f',
  'a/deep/er',
]

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'patch-'))
  git('init', '--quiet')
})
afterEach(() => rmSync(folder, { recursive: true }))

function git(...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const run = spawnSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, env })
  if (run.error !== undefined || run.status !== 0)
    throw new Error(`git ${args[0]}: ${run.stderr.slice(0, 2000)}`, { cause: run.error })
  return run.stdout
}

/** The name of git's copy of what is in the folder now. */
function storedTree(): string {
  git('add', '--all')
  return git('write-tree').trim()
}

/** A side as the host makes one: text where the bytes are UTF-8. */
function side(path: string, mode: PatchMode, content: string | Uint8Array): PatchSide {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  let text: string | null
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    text = null
  }
  return { path, mode, bytes, text }
}

function writeTree(sides: readonly (PatchSide | null)[]): void {
  for (const file of sides) {
    if (file === null) continue
    const path = join(folder, file.path)
    mkdirSync(dirname(path), { recursive: true })
    if (file.mode === '120000') symlinkSync(Buffer.from(file.bytes), path)
    else writeFileSync(path, file.bytes)
    if (file.mode === '100755') chmodSync(path, 0o755)
  }
}

/** Everything in the folder but git's own: path, mode and content in base 64. */
function readTree(): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path !== '.git' && !path.startsWith('.git/') && !lstatSync(join(folder, path)).isDirectory())
    .map((path) => {
      const stat = lstatSync(join(folder, path))
      if (stat.isSymbolicLink())
        return `${path} 120000 ${readlinkSync(join(folder, path), 'buffer').toString('base64')}`
      const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755'
      return `${path} ${mode} ${readFileSync(join(folder, path)).toString('base64')}`
    })
    .sort()
}

function treeOf(sides: readonly (PatchSide | null)[]): string[] {
  return sides
    .flatMap((file) =>
      file === null ? [] : [`${file.path} ${file.mode} ${Buffer.from(file.bytes).toString('base64')}`],
    )
    .sort()
}

describe('patch', () => {
  it('is what git itself writes', () => {
    const files: PatchFile[] = [
      { before: side('a space', '100644', '1\n2\n3\n'), after: side('a space', '100644', '1\n2\nthree') },
      { before: null, after: side('added', '100755', 'new\n') },
      {
        before: side('binary', '100644', new Uint8Array([0, 1, 2, 255])),
        after: side('binary', '100644', new Uint8Array(200).fill(7)),
      },
      { before: side('empty', '100644', ''), after: null },
      { before: side('latin1', '100644', new Uint8Array([0xe9, 10])), after: side('latin1', '100644', 'é\n') },
      { before: side('link', '120000', 'old target'), after: side('link', '120000', 'new target') },
      { before: side('mode', '100644', 'same\n'), after: side('mode', '100755', 'same\n') },
      { before: side('moved', '100644', 'all\nthe\nsame\n'), after: side('moved to', '100644', 'all\nthe\nsame\n') },
      { before: side('removed', '100644', 'no end'), after: null },
      { before: side('same', '100644', 'same\n'), after: side('same', '100644', 'same\n') },
      { before: side('turned', '100644', 'file\n'), after: side('turned', '120000', 'target') },
      { before: null, after: side('void', '100644', '') },
      { before: side('"ü\t\\"', '100644', '1\n'), after: side('"ü\t\\"', '100755', '1\n1\n') },
    ]
    writeTree(files.map((file) => file.before))
    const oldTree = storedTree()
    for (const { before } of files) if (before !== null) rmSync(join(folder, before.path))
    writeTree(files.map((file) => file.after))
    const newTree = storedTree()
    const sections = (patch: string): string[] => patch.split(/^(?=diff --git )/m).sort()
    // git reports a latin-1 file as text; we give such bytes in whole.
    const isComparable = (section: string): boolean => !section.includes('latin1')
    const ours = formatPatch(files, tools)
    const gits = git(
      'diff',
      '--binary',
      '--full-index',
      '--find-renames',
      '--no-rename-empty',
      oldTree,
      newTree,
    ).replace(/^(@@ .*? @@).*$/gm, '$1')
    expect(sections(ours).filter(isComparable)).toEqual(sections(gits).filter(isComparable))
  })

  it('leaves out what does not differ', () => {
    const same = side('same', '100644', 'same\n')
    expect(
      formatPatch(
        [
          { before: same, after: same },
          { before: null, after: null },
        ],
        tools,
      ),
    ).toBe('')
  })

  it.each(Array.from({ length: 8 }, (_, index) => seed * 1000 + index))(
    'leads git apply to the exact bytes and modes, and back (seed %i)',
    (batchSeed) => {
      const random = new RandomTexts(batchSeed)
      const content = (): string | Uint8Array => {
        if (random.below(5) > 0) return random.pair(60).before
        return Uint8Array.from({ length: random.pick([0, 1, 51, 52, 53, 300, 5000]) }, () =>
          random.below(random.pick([2, 256])),
        )
      }
      const mode = (): PatchMode => random.pick(['100644', '100644', '100755'])
      const files = Array.from({ length: 260 }, (_, index): PatchFile => {
        const path = `${index}/${random.pick(oddNames)}`
        const { before, after } = random.pair(random.pick([3, 60, 300]))
        const link = (): PatchSide => side(path, '120000', `${random.pick(oddNames)} ${random.below(9)}`)
        const edited = { before: side(path, mode(), before), after: side(path, mode(), after) }
        switch (random.below(8)) {
          case 0:
            return { before: null, after: side(path, mode(), content()) }
          case 1:
            return { before: side(path, mode(), content()), after: null }
          case 2:
            return { before: side(path, mode(), content()), after: side(path, mode(), content()) }
          case 3:
            return random.pick([
              { before: link(), after: link() },
              { before: edited.before, after: link() },
              { before: link(), after: edited.after },
              { before: null, after: link() },
            ])
          case 4:
            return {
              before: edited.before,
              after: { ...edited.after, path: `${index}/renamed ${random.pick(oddNames)}` },
            }
          default:
            return edited
        }
      })
      const before = files.map((file) => file.before)
      const after = files.map((file) => file.after)
      writeTree(before)
      const patchPath = join(folder, '.git', 'the.patch')
      writeFileSync(patchPath, formatPatch(files, tools))
      git('apply', '--whitespace=nowarn', patchPath)
      expect(readTree()).toEqual(treeOf(after))
      git('apply', '--whitespace=nowarn', '--reverse', patchPath)
      expect(readTree()).toEqual(treeOf(before))
    },
  )
})
