import { Given, literals, valued, type Valued } from './arguments.js'
import { named, outcome, type Call, type Inner, type Judge, type Outcome } from './call.js'
import { allows, asks, asksAlways, asksForNetwork, denied, type Finding } from './findings.js'
import { isForkBomb } from './machine-commands.js'
import { placeOf, writing } from './places.js'
import { literalOf, type Field } from './shell-fields.js'
import { asLine } from './wrapper-commands.js'

const downloadedCode = denied('Runs what it has just downloaded. Download it to a file, read it, and ask to run that.')

const runsCode = asks('Runs code of this workspace')

/** What running a file means, by where it lies. */
export function running(file: Field, ground: Call['ground']): Finding {
  const place = placeOf(file.text, ground)
  switch (place.kind) {
    case 'inside':
      return runsCode
    case 'unknown':
      return asksAlways(`Runs a file that its text does not tell (${place.shown})`)
    default:
      return asks(`Runs code outside the workspace (${place.shown})`)
  }
}

/** A shell: what it runs is in its words, in its input, or in a file. */
const shell: Judge = (call) => {
  const { words, input, ground } = call
  const at = words.findIndex((word) => /^[-+][A-Za-z]*c[A-Za-z]*$/.test(word.text))
  const isOption = (word: Field): boolean => /^[-+]./.test(word.text)
  const firstOperand = words.findIndex(
    (word, index) => !isOption(word) && !/^(?:[-+]\w*[oO]|--(?:rcfile|init-file))$/.test(words[index - 1]?.text ?? ''),
  )
  const startup = words.flatMap((word, index) => (/^--(?:rcfile|init-file)$/.test(word.text) ? words.slice(index + 1, index + 2) : []))
  const findings: Finding[] = startup.map((file) => running(file, ground))
  // A script in the words counts when it stands before any file.
  if (at >= 0 && (firstOperand < 0 || at < firstOperand)) {
    const script = words.slice(at + 1).find((word) => !isOption(word))
    return {
      findings: [...findings, ...downloaded(call), ...(script ? [] : [asks('Runs a shell')]), allows('Runs the script beside it')],
      inner: script ? [{ ...asLine([script]), input }] : [],
    }
  }
  const file = firstOperand < 0 || words.some((word) => /^-[A-Za-z]*s[A-Za-z]*$/.test(word.text)) ? undefined : words[firstOperand]
  if (file && !/^\/dev\/(?:stdin|fd\/0)$|^-$/.test(file.text)) return outcome(...findings, ...runningFile(file, call))
  return {
    findings: [...findings, ...downloaded(call), ...fromInput(call)],
    inner: input.text === null ? [] : [{ kind: 'script', text: input.text, isKnown: true }],
  }
}

/** Code in the words themselves that a substitution fetches. */
function downloaded(call: Call): readonly Finding[] {
  return call.hasDownload ? [downloadedCode] : []
}

/** A file with code; one that is no file but what another command prints may be downloaded. */
function runningFile(file: Field, call: Call): readonly Finding[] {
  return file.text === '/dev/fd/63' ? [...downloaded(call), asksAlways('Runs what another command prints')] : [running(file, call.ground)]
}

/** What it means that a program runs what it reads. */
function fromInput({ input, words }: Call): readonly Finding[] {
  if (input.isDownload) return [downloadedCode]
  if (input.text !== null) return [asksAlways('Runs the text that it is given')]
  if (input.isGiven) return [asksAlways('Runs what another command or a file gives it')]
  return /^--?(?:version|help|V)$/.test(words[0]?.text ?? '') && words.length === 1
    ? [allows()]
    : [asksAlways('Waits for commands, which can be any')]
}

const evaluate: Judge = (call) => {
  if (call.hasDownload) return outcome(downloadedCode)
  const isKnown = literals(call.words).length === call.words.length
  return {
    findings: [isKnown ? allows('Runs the text beside it') : asksAlways('Runs a text that only the shell knows')],
    inner: [{ ...asLine(call.words), input: call.input, isSameShell: true }],
  }
}

const source: Judge = (call) => {
  const [file] = call.words
  return outcome(...(file ? runningFile(file, call) : [asks('Runs a file')]))
}

const trap: Judge = ({ words }) => {
  const [script, ...signals] = words[0]?.text === '--' ? words.slice(1) : words
  if (!script || signals.length === 0 || script.text.startsWith('-')) return outcome(asks('Changes what happens on a signal'))
  return { findings: [asks('Runs a command later, on a signal')], inner: [asLine([script])] }
}

const alias: Judge = ({ words }) => {
  const inner = words.flatMap((word): readonly Inner[] =>
    word.text.includes('=') ? [asLine([{ ...word, text: word.text.slice(word.text.indexOf('=') + 1) }])] : [],
  )
  return { findings: [asksAlways('Gives a command another meaning')], inner }
}

/** A language: where the code may stand. */
interface Language {
  readonly takes: Valued
  /** Options with code in the line. */
  readonly code: readonly [letters: string, ...long: string[]]
}

const languages: Readonly<Record<string, Language>> = {
  python: { takes: valued('cmWXQ'), code: ['cm'] },
  node: { takes: valued('eprCi', 'eval print require import loader'), code: ['ep', 'eval', 'print'] },
  perl: { takes: valued('eEIMmCx'), code: ['eE'] },
  ruby: { takes: valued('erICEF'), code: ['e'] },
  php: { takes: valued('rBREcdfz'), code: ['rBRE', 'run'] },
  lua: { takes: valued('el'), code: ['e'] },
  Rscript: { takes: valued('e'), code: ['e'] },
  osascript: { takes: valued('el'), code: ['e'] },
  tclsh: { takes: valued(''), code: [''] },
  guile: { takes: valued('cel'), code: ['c'] },
}

const languageOf: Readonly<Record<string, string>> = {
  python2: 'python',
  python3: 'python',
  pypy: 'python',
  pypy3: 'python',
  ipython: 'python',
  nodejs: 'node',
  bun: 'node',
  deno: 'node',
  tsx: 'node',
  'ts-node': 'node',
  luajit: 'lua',
  R: 'Rscript',
  wish: 'tclsh',
  expect: 'tclsh',
  julia: 'node',
  groovy: 'perl',
  swipl: 'guile',
  pwsh: 'guile',
}

function judgeLanguage(language: Language): Judge {
  return (call) => {
    const { words } = call
    if (words.length === 1 && /^(?:--version|-V|-v|--help)$/.test(words[0]?.text ?? '')) return outcome(allows())
    const given = new Given(words, language.takes, true)
    const code = given.values(...language.code)
    const [file] = given.operands
    const findings: Finding[] = words.filter((word) => isForkBomb(word.text)).map(() => denied('Starts itself without end. Run it once.'))
    if (code.length > 0) return outcome(...findings, ...downloaded(call), asks('Runs code that stands in the line'), ...inPlace(call, given))
    if (file && file.text !== '-') return outcome(...findings, ...runningFile(file, call))
    if (words.length > 0 && !file && !call.input.isGiven) return outcome(...findings, ...downloaded(call), runsCode)
    return outcome(...findings, ...downloaded(call), ...fromInput(call))
  }
}

/** `perl -pi -e … file` and its like write their files. */
function inPlace({ ground }: Call, given: Given): readonly Finding[] {
  return given.has('i') ? given.operands.map((file) => writing(file, ground, 'Edits')) : []
}

/** Programs that build or test, and with it run what the workspace holds. */
const builds: Judge = ({ words, ground }) => {
  const folders = new Given(words, valued('Cf', 'directory prefix file manifest-path project-dir cwd')).values(
    'C',
    'directory',
    'prefix',
    'manifest-path',
    'project-dir',
    'cwd',
  )
  return outcome(
    words.length === 1 && /^(?:--version|-v|-V|--help)$/.test(words[0]?.text ?? '') ? allows() : runsCode,
    ...folders.map((field) => inFolder(field, ground)),
  )
}

function inFolder(field: Field, ground: Call['ground']): Finding {
  const finding = writing(field, ground, 'Works in')
  return finding.verdict === 'denied' ? finding : runsCode
}

const listings: Readonly<Record<string, string>> = {
  npm: 'package.json and package-lock.json',
  yarn: 'package.json and yarn.lock',
  pnpm: 'package.json and pnpm-lock.yaml',
  bun: 'package.json and bun.lock',
  cargo: 'Cargo.toml and Cargo.lock',
  go: 'go.mod and go.sum',
  composer: 'composer.json and composer.lock',
  poetry: 'pyproject.toml and poetry.lock',
  uv: 'pyproject.toml and uv.lock',
  bundle: 'Gemfile.lock',
}

const fetching =
  /^(?:i|in|install|add|ci|clean-install|update|up|upgrade|get|fetch|download|dlx|create|init|require|sync|lock|dedupe|audit|outdated|view|info|search|publish|login|logout|deprecate|unpublish|exec|x|tool|tap|pull|push|mod|remove|rm|uninstall|un|r|link|import)$/

/** Package managers: some words reach the network, others run scripts of the workspace. */
const packages: Judge = (call) => {
  const { name, words, ground } = call
  if (words.length === 1 && /^(?:--version|-v|-V|--help|version)$/.test(words[0]?.text ?? '')) return outcome(allows())
  const given = new Given(words, valued('Cw', 'prefix cwd dir target root directory workspace filter manifest-path'))
  const places = given.values('C', 'prefix', 'cwd', 'dir', 'target', 'root', 'directory', 'manifest-path').map((field) => inFolder(field, ground))
  const verb = literalOf(given.operands[0]) ?? ''
  if (given.has('g', 'global') || (verb === 'global' && name === 'yarn'))
    return outcome(denied('Installs outside the workspace. Install it in the workspace.'), ...places)
  if (/^(?:exec|x|dlx)$/.test(verb) || name === 'npx' || name === 'bunx' || name === 'pnpx' || name === 'uvx' || name === 'pipx')
    return executes(call, places)
  if (verb === 'run' && /^(?:uv|poetry|bundle|pipenv|pdm|hatch)$/.test(name)) return executes(call, places)
  const changed = listings[name]
  if (fetching.test(verb) || verb === '')
    return outcome(asksForNetwork(changed && !/^(?:view|info|search|audit|outdated)$/.test(verb) ? `changes ${changed}` : ''), ...places)
  return outcome(runsCode, ...places)
}

/** `npx` and its like fetch a program if need be and run it; so the words behind it are a command too. */
function executes(call: Call, places: readonly Finding[]): Outcome {
  const scripts = call.words.flatMap((word, at) => (/^(?:-c|--call)$/.test(word.text) ? call.words.slice(at + 1, at + 2) : []))
  const rest = new Given(call.words, valued('pc', 'package call with'), true).operands
  const command = /^(?:npx|bunx|pnpx|uvx|pipx)$/.test(call.name) ? rest : new Given(rest.slice(1), valued('pc', 'package call with'), true).operands
  return {
    findings: [asksForNetwork('runs a package'), ...places],
    inner: [...scripts.map((script) => asLine([script])), ...(command.length > 0 ? [{ kind: 'words', words: command } as const] : [])],
  }
}

const systemPackages: Judge = () => outcome({ ...denied('Installs outside the workspace. Ask the person to install it.'), reachesNetwork: true })

const brew: Judge = (call) =>
  /^(?:list|info|--version|config)$/.test(call.words[0]?.text ?? '') ? outcome(asks('Shows installed packages')) : systemPackages(call)

export const codeJudges: readonly (readonly [string, Judge])[] = [
  ...named('sh bash dash zsh ksh ash rbash mksh fish csh tcsh yash rksh pdksh posh', shell),
  ['eval', evaluate],
  ['source', source],
  ['.', source],
  ['trap', trap],
  ['alias', alias],
  ...Object.entries(languages).map(([name, language]): readonly [string, Judge] => [name, judgeLanguage(language)]),
  ...Object.entries(languageOf).flatMap(([name, base]) => {
    const language = languages[base]
    return language ? [[name, judgeLanguage(language)] as const] : []
  }),
  ...named(
    `
    make gmake cmake ninja just task rake gradle gradlew mvn mvnw ant bazel sbt tsc vite vitest jest mocha eslint prettier pytest
    tox nox ruff mypy rustc gcc g++ clang cc java javac kotlin scala webpack rollup turbo nx playwright phpunit rspec flake8 black
    oxlint biome dotnet zig swift
  `,
    builds,
  ),
  ...named(
    `
    npm yarn pnpm npx bunx pnpx pip pip3 pipx uv uvx poetry pipenv pdm hatch conda mamba cargo go gem bundle composer mix stack
    cabal opam nuget corepack
  `,
    packages,
  ),
  ...named(
    `
    apt apt-get aptitude dpkg yum dnf rpm pacman apk zypper snap flatpak port emerge xbps-install nix-env
  `,
    systemPackages,
  ),
  ['brew', brew],
]
