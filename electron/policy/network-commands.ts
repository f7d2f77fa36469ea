import { Given, valued } from './arguments.js'
import { named, outcome, type Inner, type Judge } from './call.js'
import { asksAlways, asksForNetwork, denied, type Finding } from './findings.js'
import { reading, writing } from './places.js'
import { plainField, type Field } from './shell-fields.js'
import { asLine } from './wrapper-commands.js'

/** Programs that print or store what they fetch. */
const downloaders = new Set([
  'curl',
  'wget',
  'wget2',
  'fetch',
  'aria2c',
  'axel',
  'http',
  'https',
  'xh',
  'lynx',
  'w3m',
  'links',
  'nc',
  'ncat',
  'netcat',
  'socat',
  'ftp',
  'lftp',
  'gh',
  'aws',
  'gsutil',
])

export function isDownloader(name: string): boolean {
  return downloaders.has(name)
}

const curl: Judge = ({ words, ground }) => {
  const given = new Given(
    words,
    valued(
      'oAbcCdDeEFHhKmPQrtTuUwXxYyz',
      'output cookie-jar data data-binary data-raw header upload-file form dump-header config output-dir url proxy user request cert key trace trace-ascii stderr etag-save',
    ),
  )
  const sent = given
    .values('dF', 'data', 'data-binary', 'data-urlencode', 'form', 'json')
    .flatMap((field) => /^[^@]*@(.+)$/.exec(field.text)?.[1] ?? [])
  return outcome(
    asksForNetwork(),
    ...given
      .values('ocD', 'output', 'cookie-jar', 'dump-header', 'output-dir', 'trace', 'trace-ascii', 'stderr', 'etag-save')
      .filter(isPath)
      .map((field) => writing(field, ground)),
    ...[...sent.map(plainField), ...given.values('TKE', 'upload-file', 'config', 'cert', 'key')]
      .filter(isPath)
      .map((field) => reading(field, ground)),
    ...words.flatMap((word) => /^file:\/\/[^/]*(\/.*)/i.exec(word.text)?.[1] ?? []).map((path) => reading(plainField(path), ground)),
  )
}

const wget: Judge = ({ words, ground }) => {
  const given = new Given(
    words,
    valued('OPaoiBtTwQUlADIRX', 'output-document directory-prefix append-output output-file input-file post-file body-file save-cookies use-askpass'),
  )
  return outcome(
    asksForNetwork(),
    ...(given.has('', 'use-askpass', 'execute') || given.has('e') ? [asksAlways('may run a program')] : []),
    ...given
      .values('OPao', 'output-document', 'directory-prefix', 'append-output', 'output-file', 'save-cookies')
      .filter(isPath)
      .map((field) => writing(field, ground)),
    ...given
      .values('i', 'input-file', 'post-file', 'body-file')
      .filter(isPath)
      .map((field) => reading(field, ground)),
  )
}

function isPath(field: Field): boolean {
  return field.text !== '-'
}

/** Copies between machines: what is local is read or written. */
const scp: Judge = ({ words, ground }) => {
  const { operands } = new Given(words, valued('cDFiJloPSX'))
  const isRemote = (field: Field): boolean => /^[^/]*:/.test(field.text)
  return outcome(
    asksForNetwork('copies files'),
    ...operands
      .slice(-1)
      .filter((field) => !isRemote(field))
      .map((field) => writing(field, ground)),
    ...operands
      .slice(0, -1)
      .filter((field) => !isRemote(field))
      .map((field) => reading(field, ground)),
  )
}

/** Raw connections, which may also be tied to a shell. */
const netcat: Judge = ({ words, name }) => {
  const at = words.findIndex((word) => /^-\w*[ec]$|^--(?:exec|sh-exec|lua-exec)(?:=|$)/.test(word.text))
  const socatRuns = name === 'socat' && words.some((word) => /(?:^|,)(?:exec|system|shell):/i.test(word.text))
  if (at < 0 && !socatRuns) return outcome(asksForNetwork('opens a raw connection'))
  const inner: readonly Inner[] = at >= 0 && words[at + 1] ? [asLine(words.slice(at + 1, at + 2))] : []
  return { findings: [denied('Ties a program to a network connection. No command of a workspace needs that.')], inner }
}

const reaches: Judge = () => outcome(asksForNetwork())

/** A tool for remote services; what it changes there cannot be undone here. */
const remote: Judge = ({ name }) => outcome(asksForNetwork(`may change what lies at ${name}`))

const openssl: Judge = ({ words, ground }) => {
  const connects = words[0]?.text === 's_client' || words[0]?.text === 's_server'
  const outputs: readonly Finding[] = words.flatMap((word, at) =>
    /^-(?:out|keyout)$/.test(word.text) ? words.slice(at + 1, at + 2).map((field) => writing(field, ground)) : [],
  )
  return outcome(connects ? asksForNetwork('opens a raw connection') : asksAlways('Works with keys'), ...outputs)
}

export const networkJudges: readonly (readonly [string, Judge])[] = [
  ['curl', curl],
  ['wget', wget],
  ['wget2', wget],
  ['scp', scp],
  ['sftp', scp],
  ['nc', netcat],
  ['ncat', netcat],
  ['netcat', netcat],
  ['socat', netcat],
  ['openssl', openssl],
  ...named(
    `
    fetch aria2c axel http https xh lynx w3m links ftp lftp telnet ping ping6 dig host nslookup traceroute mtr whois nmap tcpdump
    mail sendmail mutt ssh-copy-id ssh-keyscan
  `,
    reaches,
  ),
  ...named(
    `
    gh glab hub aws az gcloud gsutil kubectl helm terraform pulumi ansible ansible-playbook vercel netlify heroku flyctl fly
    wrangler firebase doctl psql mysql mongosh redis-cli
  `,
    remote,
  ),
]
