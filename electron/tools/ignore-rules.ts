import { compileGlob, plainText, type PathTest } from './glob.js'

/** The rules of one ignore file. `null`: they say nothing about the entry. */
export interface IgnoreRules {
  /** Shape: `folder` is where the entry lies, relative to the file's own folder, `''` or with `/` at its end. */
  verdict(folder: string, name: string, isFolder: boolean): 'ignored' | 'kept' | null
}

/** Rules that follow each other and say the same; their order does not matter. */
interface Block {
  readonly isNegated: boolean
  readonly isForFolders: boolean
  readonly names: Set<string>
  readonly nameTests: PathTest[]
  readonly pathTests: PathTest[]
}

/** The rules in the text of a `.gitignore`, `.ignore` or the like; `null` when there are none. The last that fits counts. */
export function parseIgnoreRules(text: string): IgnoreRules | null {
  const blocks: Block[] = []
  for (const line of text.replace(/^\ufeff/, '').split('\n')) addRule(blocks, line.replace(/\r$/, ''))
  if (blocks.length === 0) return null
  blocks.reverse()
  return {
    verdict: (folder, name, isFolder) => {
      for (const block of blocks) if ((isFolder || !block.isForFolders) && fits(block, folder, name)) return block.isNegated ? 'kept' : 'ignored'
      return null
    },
  }
}

function fits(block: Block, folder: string, name: string): boolean {
  if (block.names.has(name)) return true
  for (const test of block.nameTests) if (test(name)) return true
  if (block.pathTests.length === 0) return false
  const path = folder + name
  return block.pathTests.some((test) => test(path))
}

function addRule(blocks: Block[], line: string): void {
  let pattern = withoutEndBlanks(line)
  if (pattern === '' || pattern.startsWith('#')) return
  const isNegated = pattern.startsWith('!')
  if (isNegated) pattern = pattern.slice(1)
  const isForFolders = pattern.endsWith('/')
  if (isForFolders) pattern = pattern.slice(0, -1)
  const isAnchored = pattern.includes('/')
  if (pattern.startsWith('/')) pattern = pattern.slice(1)
  if (pattern === '') return
  const block = blockFor(blocks, isNegated, isForFolders)
  const plain = plainText(pattern)
  if (!isAnchored && plain !== null) block.names.add(plain)
  else (isAnchored ? block.pathTests : block.nameTests).push(compileGlob(pattern, { isCaseSensitive: true, hasBraces: false }))
}

function blockFor(blocks: Block[], isNegated: boolean, isForFolders: boolean): Block {
  const last = blocks.at(-1)
  if (last && last.isNegated === isNegated && last.isForFolders === isForFolders) return last
  const block: Block = { isNegated, isForFolders, names: new Set(), nameTests: [], pathTests: [] }
  blocks.push(block)
  return block
}

/** Blanks at the end do not count, unless escaped. */
function withoutEndBlanks(line: string): string {
  let end = line.length
  while (line[end - 1] === ' ' && line[end - 2] !== '\\') end--
  return line.slice(0, end)
}
