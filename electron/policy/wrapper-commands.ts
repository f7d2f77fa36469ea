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

/** Options without a value, as `valued` lists those with one. */
type Flags = Valued

/** An option that a wrapper is not known to have may take the next word, or none: which command runs is not certain then. */
function strangeOptions(call: Call, given: Given, takes: Valued, flags: Flags): readonly Finding[] {
  const own = call.words.slice(0, call.words.length - given.operands.length)
  const letters = takes.letters + (takes.attached ?? '') + flags.letters
  const long = [...takes.long, ...flags.long]
  const isStrange =
    own.some(({ text }) => (text.startsWith('-') && literalOf(plainField(text)) === null) || /^--.$/.test(text)) ||
    given.options.some(({ name, isLong }) => !(isLong ? long : letters).includes(name))
  return isStrange ? [asks(`${call.name} with an option that is not known`)] : []
}

/** Wrappers with options, then so many words of their own, then the command. */
function transparent(takes: Valued, flags: Flags = valued(''), own = 0): Judge {
  return (call) => {
    const given = new Given(call.words, takes, true)
    const isOpen = given.operands.slice(0, own).some((word) => literalOf(word) === null)
    const open = isOpen ? [asks('Has words that its text does not tell')] : []
    return wrapped(call, given.operands.slice(own), ...strangeOptions(call, given, takes, flags), ...open)
  }
}

/** Wrappers whose options are not known closely, or that do more than to run a command. */
function asking(own = 0): Judge {
  return (call) => wrapped(call, new Given(call.words, valued(''), true).operands.slice(own), asks(`Runs a command in ${call.name}`))
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
  const takes = valued('uC', 'unset chdir')
  const given = new Given(call.words, takes, true)
  const start = given.operands.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word.text))
  const settings = given.operands.slice(0, start < 0 ? undefined : start)
  if (start < 0) return outcome(asksToRead('Shows the environment, which may hold secrets'))
  const findings = settings.flatMap((word) => {
    const cut = word.text.indexOf('=')
    return settingFor(word.text.slice(0, cut), literalOf(plainField(word.text.slice(cut + 1)))) ?? []
  })
  const moves = given.values('C', 'chdir').length > 0 ? [asksAlways('Runs it in another folder')] : []
  const strange = strangeOptions(call, given, takes, valued('i0v', 'ignore-environment null debug'))
  return wrapped(call, given.operands.slice(start), ...findings, ...moves, ...strange)
}

const command: Judge = (call) => (isLookUp(call.words) ? outcome(allows()) : transparent(valued(''), valued('p'))(call))

const exec: Judge = (call) =>
  new Given(call.words, valued('a'), true).operands.length === 0
    ? outcome(allows('Changes its own input and output'))
    : transparent(valued('a'), valued('cl'))(call)

const xargsTakes: Valued = { ...valued('IaEdLnPs', 'arg-file delimiter max-args max-procs max-chars process-slot-var'), attached: 'ile' }
const xargsFlags = valued('0rtxpo', 'null no-run-if-empty verbose exit interactive open-tty show-limits replace max-lines eof')

/** What it adds to the command, where the text tells; in several runs each word may come first. */
function fedTo(given: Given, text: string | null): readonly Field[] {
  if (text === null || /['"\\]/.test(text) || given.has('ad0Ee', 'arg-file', 'delimiter', 'null', 'eof')) return [unknownField]
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (words.length > 1 && given.has('Lnsl', 'max-args', 'max-chars', 'max-lines')) return [unknownField]
  return words.map((word) => ({ ...plainField(word), isPlain: false }))
}

const xargs: Judge = (call) => {
  const given = new Given(call.words, xargsTakes, true)
  const sign = given.values('Ii', 'replace')[0]?.text ?? (given.has('i', 'replace') ? '{}' : null)
  const fed = fedTo(given, call.input.text)
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
    findings: [allows('Runs the command beside it on what it reads'), ...strangeOptions(call, given, xargsTakes, xargsFlags)],
    inner: [{ kind: 'words', words }],
    ownWords: call.words.length - given.operands.length,
  }
}

/** Words that are handed to a shell as one line. */
export function asLine(words: readonly Field[]): Inner {
  return { kind: 'script', text: words.map((word) => word.text).join(' '), isKnown: literals(words).length === words.length }
}

const watch: Judge = (call) => {
  const takes = valued('n', 'interval')
  const given = new Given(call.words, takes, true)
  const rest = given.operands
  const flags = valued('bcdegtwx', 'beep color differences errexit chgexit exec precise no-title no-wrap')
  return { findings: [runsTheRest, ...strangeOptions(call, given, takes, flags)], inner: [asLine(rest)], ownWords: call.words.length - rest.length }
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
  const takes = valued('wEc', 'wait timeout conflict-exit-code command')
  const given = new Given(call.words, takes, true)
  const flags = valued('sxenuoFv', 'shared exclusive unlock nonblock nb close no-fork verbose')
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
  const locked = lock && !/^\d+$/.test(lock.text) ? writing(lock, call.ground, 'Locks') : allows()
  return { findings: [locked, ...strangeOptions(call, given, takes, flags)], inner }
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
  const takes = valued('fo', 'format output')
  const given = new Given(call.words, takes, true)
  const written = given.values('o', 'output').map((word) => writing(word, call.ground))
  return wrapped(call, given.operands, ...written, ...strangeOptions(call, given, takes, valued('apvq', 'append portability verbose quiet')))
}

const busybox: Judge = (call) => {
  const [applet] = call.words
  return applet && !applet.text.startsWith('-') ? asking()(call) : outcome(asks('busybox with an option'))
}

const nice: Judge = (call) => {
  const words = /^-\d+$/.test(call.words[0]?.text ?? '') ? call.words.slice(1) : call.words
  return transparent(valued('n', 'adjustment'))({ ...call, words })
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
  ['nohup', transparent(valued(''))],
  ['setsid', transparent(valued(''), valued('cfw', 'ctty fork wait'))],
  ...named(
    `
    chronic unbuffer catchsegv caffeinate rlwrap dbus-run-session xvfb-run nocache eatmydata fakeroot linux32 linux64 setarch
    start-stop-daemon daemonize cpulimit prlimit
  `,
    asking(),
  ),
  ...named('chrt taskset', asking(1)),
  ...named('timeout gtimeout', transparent(valued('ks', 'kill-after signal'), valued('vfp', 'foreground preserve-status verbose'), 1)),
  ['stdbuf', transparent(valued('ioe', 'input output error'))],
  ['ionice', transparent(valued('cn', 'class classdata'), valued('t', 'ignore'))],
]
