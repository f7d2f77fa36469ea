import { commandText } from '../../shared/policy.js'
import { Given, literals, valued, type Valued } from './arguments.js'
import { named, outcome, type Call, type Inner, type Judge, type Outcome } from './call.js'
import { allows, asks, asksAlways, asksForNetwork, asksToRead, type Finding } from './findings.js'
import { writing } from './places.js'
import { isLookUp } from './read-commands.js'
import { literalOf, plainField, unknownField, type Field } from './shell-fields.js'

const runsTheRest = allows('Runs the command beside it')

/** The rest of the words as a command; `own` words of the wrapper itself come before it. */
function wrapped(call: Call, command: readonly Field[], ...findings: readonly Finding[]): Outcome {
  if (command.length === 0) return outcome(...(findings.length > 0 ? findings : [asksToRead(`${call.name} without a command`)]))
  return {
    findings: findings.length > 0 ? findings : [runsTheRest],
    inner: [{ kind: 'words', words: command, input: call.input, isSameShell: /^(?:command|builtin)$/.test(call.name) }],
    ownWords: call.words.length - command.length,
  }
}

/** Wrappers with options, then so many words of their own, then the command. */
function transparent(takes: Valued, own = 0): Judge {
  return (call) => wrapped(call, new Given(call.words, takes, true).operands.slice(own))
}

const harmlessVariables =
  /^(?:LC_\w+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR|CI|TERM|COLUMNS|LINES|NODE_ENV|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT|PYTHONUNBUFFERED|DEBIAN_FRONTEND)$/

/** What setting a variable for one command means. */
export function settingFor(name: string, value: string | null): Finding | null {
  if (harmlessVariables.test(name) || (/^(?:GIT_)?PAGER$/.test(name) && value === 'cat')) return null
  return asks(`Sets ${name.slice(0, 40)} for it`)
}

const env: Judge = (call) => {
  const split = call.words.findIndex((word) => /^-\w*S|^--split-string/.test(word.text))
  if (split >= 0) {
    const word = call.words[split]
    const isApart = word?.text === '-S' || word?.text === '--split-string'
    const text = (isApart ? call.words[split + 1]?.text : word?.text.replace(/^-\w*?S|^--split-string=/, '')) ?? ''
    const more = call.words.slice(split + (isApart ? 2 : 1))
    const isKnown = literalOf(plainField(text)) !== null && literals(more).length === more.length
    return { findings: [asks('Splits a text into a command')], inner: [{ kind: 'script', text: `${text} ${commandText(literals(more))}`, isKnown }] }
  }
  const given = new Given(call.words, valued('uCS', 'unset chdir'), true)
  const start = given.operands.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text))
  const settings = given.operands.slice(0, start < 0 ? undefined : start)
  if (start < 0) return outcome(asksToRead('Shows the environment, which may hold secrets'))
  const findings = settings.flatMap((word) => {
    const cut = word.text.indexOf('=')
    return settingFor(word.text.slice(0, cut), literalOf(plainField(word.text.slice(cut + 1)))) ?? []
  })
  const moves = given.values('C', 'chdir').length > 0 ? [asksAlways('Runs it in another folder')] : []
  return wrapped(call, given.operands.slice(start), ...findings, ...moves)
}

const command: Judge = (call) => (isLookUp(call.words) ? outcome(allows()) : wrapped(call, new Given(call.words, valued(''), true).operands))

const exec: Judge = (call) => {
  const rest = new Given(call.words, valued('a'), true).operands
  return rest.length === 0 ? outcome(allows('Changes its own input and output')) : wrapped(call, rest)
}

const xargs: Judge = (call) => {
  const given = new Given(call.words, valued('IaEdLnPs', 'arg-file delimiter max-args max-procs max-chars max-lines replace'), true)
  const sign = given.values('I', 'replace')[0]?.text ?? (given.has('i') ? '{}' : null)
  const fed =
    call.input.text === null || given.has('a', 'arg-file')
      ? [unknownField]
      : call.input.text
          .split(/\s+/)
          .filter((text) => text !== '')
          .map((text) => ({ ...plainField(text), isPlain: false }))
  const command = given.operands.length > 0 ? given.operands : [plainField('echo')]
  const whole = fed.length === 1 ? (fed[0] ?? unknownField) : unknownField
  const words =
    sign === null
      ? [...command, ...fed]
      : command.map((word) =>
          word.text.includes(sign)
            ? { ...word, text: word.text.replaceAll(sign, whole.text), whenEmpty: word.whenEmpty.replaceAll(sign, whole.whenEmpty), isPlain: false }
            : word,
        )
  return {
    findings: [allows('Runs the command beside it on what it reads')],
    inner: [{ kind: 'words', words }],
    ownWords: call.words.length - given.operands.length,
  }
}

/** Words that are handed to a shell as one line. */
export function asLine(words: readonly Field[]): Inner {
  return { kind: 'script', text: words.map((word) => word.text).join(' '), isKnown: literals(words).length === words.length }
}

const watch: Judge = (call) => {
  const rest = new Given(call.words, valued('nqs', 'interval'), true).operands
  return { findings: [runsTheRest], inner: [asLine(rest)], ownWords: call.words.length - rest.length }
}

const parallel: Judge = (call) => {
  const rest = new Given(call.words, valued('jnNIaSL', 'jobs arg-file sshlogin joblog'), true).operands
  const cut = rest.findIndex((word) => word.text.startsWith(':::'))
  const command = cut < 0 ? rest : rest.slice(0, cut)
  const fed = cut < 0 ? [unknownField] : rest.slice(cut + 1)
  const inner = fed.slice(0, 8).map((word) => {
    const isNamed = command.some((part) => part.text.includes('{}'))
    return asLine(isNamed ? command.map((part) => ({ ...part, text: part.text.replaceAll('{}', word.text) })) : [...command, word])
  })
  return { findings: [asksAlways('Puts commands together at run time')], inner, ownWords: call.words.length - rest.length }
}

const flock: Judge = (call) => {
  const given = new Given(call.words, valued('wEc', 'wait timeout conflict-exit-code command'), true)
  const scripts = given.values('c', 'command')
  const [lock, flag, script, ...more] = given.operands
  const isLine = flag?.text === '-c' && script !== undefined
  const inner: Inner[] = isLine
    ? [asLine([script])]
    : scripts.length > 0
      ? [asLine(scripts)]
      : flag
        ? [{ kind: 'words', words: [flag, ...(script ? [script] : []), ...more], input: call.input }]
        : []
  return { findings: [lock && !/^\d+$/.test(lock.text) ? writing(lock, call.ground, 'Locks') : allows()], inner }
}

const script: Judge = (call) => {
  const given = new Given(call.words, valued('cEIOTBmo', 'command'))
  return {
    findings: [asks('Records a session'), ...given.operands.map((word) => writing(word, call.ground))],
    inner: given.values('c', 'command').map((word) => asLine([word])),
  }
}

const traced: Judge = (call) => {
  const given = new Given(call.words, valued('oepPsuESaIOX', 'output'), true)
  return wrapped(call, given.operands, asks('Watches a program'), ...given.values('o', 'output').map((word) => writing(word, call.ground)))
}

const time: Judge = (call) => {
  const given = new Given(call.words, valued('fo', 'format output'), true)
  const written = given.values('o', 'output').map((word) => writing(word, call.ground))
  return wrapped(call, given.operands, ...written)
}

const busybox: Judge = (call) => {
  const [applet] = call.words
  return applet && !applet.text.startsWith('-') ? wrapped(call, call.words) : outcome(allows())
}

const nice: Judge = (call) => {
  const words = /^-\d+$/.test(call.words[0]?.text ?? '') ? call.words.slice(1) : call.words
  return wrapped(call, new Given(words, valued('n', 'adjustment'), true).operands)
}

/** A remote shell: what runs there cannot be undone here, but is judged by the same words. */
const ssh: Judge = (call) => {
  const given = new Given(call.words, valued('bcDEeFIiJLlmOopQRSWw'), true)
  const rest = given.operands.slice(1)
  const options = given.values('oF').map((word) => word.text)
  const runs = options.some((text) => /^(?:proxycommand|localcommand|knownhostscommand|permitlocalcommand)/i.test(text))
  return {
    findings: [asksForNetwork('runs on another machine'), ...(runs ? [asksAlways('runs a command to connect')] : [])],
    inner: rest.length > 0 ? [asLine(rest)] : [],
    ownWords: call.words.length - rest.length,
  }
}

export const wrapperJudges: readonly (readonly [string, Judge])[] = [
  ['env', env],
  ['command', command],
  ['exec', exec],
  ['xargs', xargs],
  ['gxargs', xargs],
  ['watch', watch],
  ['parallel', parallel],
  ['flock', flock],
  ['script', script],
  ['time', time],
  ['nice', nice],
  ['busybox', busybox],
  ['toybox', busybox],
  ['ssh', ssh],
  ['rsh', ssh],
  ['mosh', ssh],
  ...named('strace ltrace valgrind perf dtruss', traced),
  ['builtin', transparent(valued(''))],
  ...named(
    `
    nohup setsid chronic unbuffer catchsegv caffeinate rlwrap dbus-run-session xvfb-run nocache eatmydata fakeroot linux32 linux64
    setarch start-stop-daemon daemonize gtimeout
  `,
    transparent(valued('nsac', 'server-args')),
  ),
  ['timeout', transparent(valued('ks', 'kill-after signal'), 1)],
  ['gtimeout', transparent(valued('ks', 'kill-after signal'), 1)],
  ['stdbuf', transparent(valued('ioe', 'input output error'))],
  ['ionice', transparent(valued('cnp', 'class classdata'))],
  ['chrt', transparent(valued('TPD'), 1)],
  ['taskset', transparent(valued(''), 1)],
  ['cpulimit', transparent(valued('lpe'))],
  ['prlimit', transparent(valued('p'))],
]
