// sed -i on 10 MB: the simulation beside the installed GNU sed, one kind of pattern after the other; then patterns that are
// made to be slow, on one line of a million characters.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recognise, type RecognisedSed } from '../../electron/edits/sed-command.js'
import { apply } from '../../electron/edits/sed-edit.js'
import { hasGnuSed } from '../fuzz/compare-sed.js'
import { Random } from '../fuzz/random.js'
import { race, runProgram, timed, type Way } from './measure.js'
import { table, type Goal, type Group } from './report.js'

const lineCount = 260_000
const locale = 'C.UTF-8'

const kinds: readonly (readonly [string, string])[] = [
  ['literal', 's/getUser/fetchUser/g'],
  ['literal that is not there', 's/getAccount/x/g'],
  ['whole word', 's/\\bgetUser\\b/fetchUser/g'],
  ['line start', 's/^/# /'],
  ['line end', 's/[[:space:]]*$//'],
  ['CRLF to LF', 's/\\r$//'],
  ['anything around a literal', 's/.*http_client.*/X/'],
  ['groups', 's/\\(.*\\)(\\(.*\\))/\\1[\\2]/'],
  ['one character, very often', 's/e/E/g'],
  ['every character', 's/./x/g'],
]
const slow = [
  '(a+)+b',
  '(a|aa)+$',
  '(.*)(.*)(.*)(.*)x',
  '(a?){30}a{30}',
  'a*b|a',
  '(a|b)*a(a|b){12}',
  '((a{1,20}){1,10}b)|a',
]

export const benchSed: Group = async (size, folder) => {
  const text = codeLines()
  const rows: (readonly (string | number)[])[] = []
  const goals: Goal[] = []
  for (const [kind, script] of kinds) {
    const times = await race(
      [simulated(script, text), ...(hasGnuSed() ? [installed(script, text, folder)] : [])],
      size === 'full' ? 5 : 2,
    )
    const ms = times.get('simulated')?.ms ?? Infinity
    const real = times.get('sed')
    const isSame =
      real === undefined ? 'no GNU sed' : times.get('simulated')?.result.equals(real.result) === true ? 'yes' : 'NO'
    rows.push([kind, `\`${script}\``, ms, real?.ms ?? '', real === undefined ? '' : ms / real.ms, isSame])
    goals.push({ what: `sed, ${kind}, 10 MB: ms`, measured: isSame === 'NO' ? Infinity : ms, atMost: 5000 })
  }
  const line = Buffer.alloc(1_000_000, 'a')
  const slowRows: (readonly (string | number)[])[] = []
  for (const pattern of slow) {
    const { ms, result } = await timed(() => apply(line, recognised(`sed -i -E 's/${pattern}/x/g' f`), { locale }))
    slowRows.push([`\`${pattern}\``, ms, result.kind === 'edited' ? 'answered' : 'declined'])
    goals.push({ what: `sed, slow pattern ${pattern}: ms`, measured: ms, atMost: 3000 })
  }
  return {
    tables: [
      table(
        `sed -i on ${lineCount.toLocaleString('en')} lines, 10 MB`,
        ['kind', 'command', 'simulated, ms', 'GNU sed, ms', 'ratio', 'same bytes'],
        rows,
      ),
      table('Slow patterns on a line of a million characters', ['pattern', 'ms', ''], slowRows),
    ],
    goals,
  }
}

function simulated(script: string, text: Buffer): Way<Buffer> {
  return {
    name: 'simulated',
    run: () =>
      timed(() => {
        const edit = apply(text, recognised(`sed -i '${script}' f`), { locale })
        return edit.kind === 'edited' ? Buffer.from(edit.bytes) : Buffer.from(edit.reason)
      }),
  }
}

/** Reads and writes no file but standard input and output, as the simulation does not. */
function installed(script: string, text: Buffer, folder: string): Way<Buffer> {
  const file = join(folder, 'lines.txt')
  return {
    name: 'sed',
    prepare: () => writeFileSync(file, text),
    run: () => runProgram('env', [`LC_ALL=${locale}`, 'sed', script, file], folder),
  }
}

function recognised(command: string): RecognisedSed {
  const found = recognise(command)
  if (!found.simulated) throw new Error(found.reason)
  return found
}

/** Lines of about 40 bytes that look like code. */
function codeLines(): Buffer {
  const random = new Random(1)
  const pieces = [
    'getUser(user_id)',
    'const userId = ',
    'foo',
    'http_client.get(url)',
    'return x;',
    '   ',
    '// comment',
    '"version": "1.2.3"',
    '\t',
    'é',
    'for (let i = 0;',
    'getUsers',
  ]
  return Buffer.from(
    Array.from({ length: lineCount }, () => `${random.repeat(2, 5, () => `${random.pick(pieces)} `)}\n`).join(''),
  )
}
