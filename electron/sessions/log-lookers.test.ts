import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { QwenLog } from '../testing/qwen-log.js'
import { createLogLookers, type LogLookers } from './log-lookers.js'
import type { LogAnswer, LogQuestion } from './log-looks.js'

const enough = 120

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-lookers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

let worker = ''
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'overturn-log-worker-'))
  worker = join(folder, 'log-look-worker.cjs')
  await build({ entryPoints: [join(import.meta.dirname, 'log-look-worker.ts')], outfile: worker, bundle: true, platform: 'node', format: 'cjs', external: ['@vscode/ripgrep'], logLevel: 'silent' })
  return () => rmSync(folder, { recursive: true })
})

function opened(workerFile: string | null): LogLookers {
  const lookers = createLogLookers(workerFile)
  onTestFinished(() => lookers.close())
  return lookers
}

/** Questions of many logs: good ones, one that is no log, one that is gone, one that is a folder. */
function questionsIn(folder: string, wanted: LogQuestion['wanted'], count = enough): readonly LogQuestion[] {
  const files = Array.from({ length: count }, (_, number) => join(folder, `${number}.jsonl`))
  files.forEach((file, number) => {
    const log = new QwenLog(`5e551011-0000-4000-8000-${String(number).padStart(12, '0')}`)
    for (let turn = 1; turn <= 1 + (number % 3); turn++) log.turn(turn, `Prompt ${turn} of ${number}`, {})
    writeFileSync(file, number === 5 ? 'no log\n' : log.text())
  })
  mkdirSync(join(folder, 'folder.jsonl'))
  return [...files, join(folder, 'gone.jsonl'), join(folder, 'folder.jsonl')].map((file) => ({
    wanted,
    file,
    sizeBytes: statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    indexFile: null,
    withSums: true,
    lineage: [],
  }))
}

async function answersOf(lookers: LogLookers, questions: readonly LogQuestion[], signal?: AbortSignal): Promise<readonly (LogAnswer | undefined)[]> {
  const answers: (LogAnswer | undefined)[] = questions.map(() => undefined)
  await lookers.look(questions, (answer, at) => void (answers[at] = answer), signal)
  return answers
}

describe('looking at logs', () => {
  it.each(['ends', 'counts'] as const)('tells the same %s from other threads as from this one, each at its place', async (wanted) => {
    const questions = questionsIn(temporary(), wanted)
    const there = await answersOf(opened(worker), questions)
    expect([there, there.length]).toEqual([await answersOf(opened(null), questions), enough + 2])
    const told = there.map((answer) => (wanted === 'ends' ? answer?.ends?.firstPrompt : answer?.counts?.turns) ?? null)
    const marks = there.map((answer) => answer?.isUnreadable)
    expect([told[4], told[5], told[7], told[enough], marks[5], marks[enough], marks[enough + 1]]).toEqual([
      ...(wanted === 'ends' ? ['Prompt 1 of 4', null, 'Prompt 1 of 7', null] : [2, null, 2, null]),
      false,
      true,
      true,
    ])
  })

  it('looks at them here where a thread breaks down', async () => {
    const folder = temporary()
    const broken = join(folder, 'broken.cjs')
    writeFileSync(broken, "throw new Error('broken')")
    const questions = questionsIn(folder, 'ends')
    expect(await answersOf(opened(broken), questions)).toEqual(await answersOf(opened(null), questions))
  })

  it.each(['as wanted', 'with the library'])('stops when it is cancelled %s, and tells nothing more', async (how) => {
    const questions = questionsIn(temporary(), 'counts')
    const lookers = opened(worker)
    const stop = new AbortController()
    let told = 0
    const looking = lookers.look(questions, () => {
      told++
      if (how === 'as wanted') stop.abort()
      else void lookers.close()
    }, stop.signal)
    await expect(looking).rejects.toMatchObject({ code: 'CANCELLED' })
    const then = told
    expect(then).toBeLessThan(questions.length)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(told).toBe(then)
    if (how === 'as wanted') expect((await answersOf(lookers, questions)).every((answer) => answer !== undefined)).toBe(true)
    else await expect(answersOf(lookers, questions)).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})
