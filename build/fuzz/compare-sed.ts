// Runs commands in the simulation and in the installed GNU sed, and compares the bytes.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recognise } from '../../electron/edits/sed-command.js'
import { apply } from '../../electron/edits/sed-edit.js'
import type { SedCase } from './sed-commands.js'

export type Comparison =
  | { readonly kind: 'same'; readonly isChanged: boolean }
  | { readonly kind: 'declined'; readonly reason: string }
  | { readonly kind: 'killed' } // the real sed took too long or too much memory
  | { readonly kind: 'different'; readonly simulated: Uint8Array; readonly real: Uint8Array; readonly exitCode: number }

export function hasGnuSed(): boolean {
  const answer = spawnSync('sed', ['--version'], { encoding: 'utf8' })
  return answer.status === 0 && /\(GNU sed\) 4\./.test(answer.stdout)
}

/**
 * The comparison of each case, in order. One shell runs all commands that the simulation accepts, each on its own file,
 * so that the file names of `cases` must differ.
 */
export function compareWithSed(
  cases: readonly SedCase[],
  locale: string,
  shell: 'bash' | 'dash',
): readonly Comparison[] {
  const folder = mkdtempSync(join(tmpdir(), 'fuzz-sed-'))
  try {
    const simulated = cases.map((item) => simulate(item, locale))
    const script = ['ulimit -t 3', 'ulimit -v 2000000', 'ulimit -c 0']
    cases.forEach((item, index) => {
      if (typeof simulated[index] === 'string') return
      writeFileSync(join(folder, item.file), item.before)
      script.push(item.command.replaceAll('\n', ''), `echo ${index} $? >>status`)
    })
    writeFileSync(join(folder, 'commands'), script.join('\n') + '\n')
    writeFileSync(join(folder, 'status'), '')
    spawnSync(shell, ['commands'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], LC_ALL: locale, LOCPATH: process.env['LOCPATH'] },
    })
    const status = new Map(
      readFileSync(join(folder, 'status'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => pair(line)),
    )
    return cases.map((item, index) => {
      const answer = simulated[index] ?? ''
      if (typeof answer === 'string') return { kind: 'declined', reason: answer }
      const exitCode = status.get(index) ?? -1
      if (exitCode >= 128 || exitCode === 4) return { kind: 'killed' }
      const real = readFileSync(join(folder, item.file))
      return exitCode === 0 && real.equals(answer)
        ? { kind: 'same', isChanged: !real.equals(item.before) }
        : { kind: 'different', simulated: answer, real, exitCode }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The new bytes, or the reason for which they are not certain. */
function simulate(item: SedCase, locale: string): Uint8Array | string {
  const recognised = recognise(item.command)
  if (!recognised.simulated) return recognised.reason
  if (recognised.path.replace(/^\.\//, '') !== item.file) return `it names the file ${recognised.path}`
  const edit = apply(item.before, recognised, { locale })
  return edit.kind === 'edited' ? edit.bytes : edit.reason
}

function pair(line: string): readonly [number, number] {
  const [index, status] = line.split(' ')
  return [Number(index), Number(status)]
}
