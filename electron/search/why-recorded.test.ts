import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readTruth, writeTruthTree, type TruthTree } from '../testing/judge-states.js'
import { searchWorld } from '../testing/search-world.js'
import { comparable, lineOf, passageOf } from './line-passage.js'

const fixtures = resolve('electron/sessions/fixtures')

/** Whose line it is by what really was on the disk at both edges of each turn: a prompt's text, or `null` for nobody's. */
function writerByTruth(fixture: string, path: string, line: number): string | null {
  const { prompts } = readTruth(fixture)
  const textIn = (tree: TruthTree): string => (tree[path] === undefined ? '' : comparable(readFileSync(join(fixture, 'blobs', tree[path]), 'utf8')))
  let [text, at] = [textIn(prompts.at(-1)?.end ?? {}), line]
  for (const prompt of [...prompts].reverse()) {
    for (const [edge, tree] of [['end', prompt.end], ['start', prompt.start]] as const) {
      const passage = passageOf(textIn(tree), text, at)
      if (passage.kind === 'changed') return edge === 'start' ? prompt.text : null
      ;[text, at] = [textIn(tree), passage.line]
    }
  }
  return null
}

describe('why a line is there, in recorded sessions', () => {
  it.each([
    // What a command made of a file whose content no record holds stays without an answer.
    ['claude-code/tui-basic', 1],
    ['claude-code/print-resume-fork', 1],
    ['codex/exec-basic', 0],
    ['codex/legacy-0.80', 0],
    ['opencode/run-basic', 1],
    ['gemini-cli/print-basic', 2],
  ])('is answered with the turn that wrote it, or with none: %s', async (name, mostUnanswered) => {
    const fixture = join(fixtures, name)
    const { prompts } = readTruth(fixture)
    const end = prompts.at(-1)?.end ?? {}
    const folder = realpathSync(writeTruthTree(fixture, end))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const { search } = await searchWorld().search([join(fixture, 'home')], folder)
    const wrong: string[] = []
    const missed: string[] = []
    for (const path of new Set(prompts.flatMap(({ changed }) => changed.map((each) => each.path)).filter((each) => end[each] !== undefined))) {
      const text = readFileSync(join(folder, path), 'utf8')
      for (let line = 0; lineOf(text, line) !== null; line++) {
        const truth = writerByTruth(fixture, path, line)
        // Of the many lines that nobody wrote a few are enough.
        if (truth === null && line % 5 !== 0) continue
        const answer = await search.why(join(folder, path), line + 1)
        // One agent records a prompt in quotes.
        const told = answer.kind === 'written' ? answer.prompt.replace(/^"|"$/g, '') : null
        if (told === truth) continue
        const fault = `${path}:${line + 1} ${answer.line} | ${told ?? (answer.kind === 'not-recorded' ? answer.reason : '')} | ${truth}`
        if (told === null) missed.push(fault)
        else wrong.push(fault)
      }
    }
    expect([wrong, missed.slice(mostUnanswered)]).toEqual([[], []])
  })
})
