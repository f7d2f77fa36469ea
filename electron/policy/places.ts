import { posix } from 'node:path'
import type { SensitivePath } from '../../shared/policy.js'
import { allows, asks, asksAlways, asksToRead, denied, type Finding } from './findings.js'
import { sensitivityOf } from './sensitive-paths.js'
import { anyName, unknownText, type Field } from './shell-fields.js'

/** Where a path leads, by its text; only reading asks the disk about links. */
export type PlaceKind =
  | 'inside'
  /** The workspace folder itself. */
  | 'workspace'
  /** A `.git`, or something below one. */
  | 'git'
  /** A file that shells, git or ssh run or believe at their start. */
  | 'startup'
  | 'temporary'
  /** The null device and the streams that a command has anyway. */
  | 'stream'
  | 'device'
  /** What bash opens as a connection. */
  | 'network'
  /** The root, the home folder, or a folder that holds the workspace. */
  | 'above'
  | 'outside'
  /** A variable or substitution decides. */
  | 'unknown'

export interface Place {
  readonly kind: PlaceKind
  /** How it is shown in a reason. */
  readonly shown: string
  /** Below the workspace for what lies inside, else absolute. */
  readonly path: string
  /** Absolute and as it is written, each `..` left in: behind a link it leads elsewhere than by its text. */
  readonly walked: string
}

/** What a path in a command is relative to. */
export interface Ground {
  readonly workspaceRoot: string
  readonly home: string
  /** The folders in which the command may run; more than one after a `cd` that may have failed. */
  readonly directories: readonly string[]
  /** Whether it can run nowhere else. */
  readonly isSure: boolean
  readonly sensitivePaths: readonly SensitivePath[]
  /** Whether an absolute path inside the workspace by its text, in which `anyName` and `..` may stand, leads out of it through a link. */
  readonly leadsOutside: (path: string) => boolean
}

/** From harmless to grave; of several places that a path may mean, the gravest counts. */
const gravity: readonly PlaceKind[] = [
  'stream',
  'inside',
  'temporary',
  'unknown',
  'workspace',
  'git',
  'startup',
  'network',
  'outside',
  'device',
  'above',
]

export function placeOf(text: string, ground: Ground): Place {
  const [first = unknownPlace(text), ...more] = placesOf(text, ground)
  return more.reduce<Place>((worst, place) => (gravity.indexOf(place.kind) > gravity.indexOf(worst.kind) ? place : worst), first)
}

/** All that a path may mean, one for each folder in which the command may run. */
function placesOf(text: string, ground: Ground): readonly Place[] {
  const isAbsolute = text.startsWith('/')
  const places = (isAbsolute ? ['/'] : ground.directories).map(
    (folder): Place => ({ shown: shownPath(text), walked: isAbsolute ? text : `${folder}/${text}`, ...absolutePlace(folder, text, ground) }),
  )
  return isAbsolute || ground.isSure ? places : [...places, unknownPlace(text)]
}

function unknownPlace(text: string): Place {
  return { kind: 'unknown', shown: shownPath(text), path: text, walked: text }
}

/** Whether a link leads what a path may mean out of the workspace, in which it lies by its text. */
export function isLedOutside(text: string, ground: Ground): boolean {
  return placesOf(text, ground).some(({ kind, walked }) => /^(?:inside|workspace|git)$/.test(kind) && ground.leadsOutside(walked))
}

function absolutePlace(folder: string, text: string, ground: Ground): Omit<Place, 'shown' | 'walked'> {
  const unknownAt = text.indexOf(unknownText)
  if (unknownAt >= 0) {
    const known = text.slice(0, text.lastIndexOf('/', unknownAt) + 1)
    const base = posix.resolve(folder, known)
    // From there the unknown rest may lead into the workspace.
    const mayBeInside =
      !text.startsWith('/') || known === '/'
        ? unknownAt === 0 || isBelow(base, ground.workspaceRoot)
        : isBelow(ground.workspaceRoot, base) || isBelow(base, ground.workspaceRoot)
    return { kind: mayBeInside ? 'unknown' : 'outside', path: base }
  }
  const absolute = posix.resolve(folder, text)
  const { workspaceRoot, home } = ground
  if (isStartup(absolute, home)) return { kind: 'startup', path: absolute }
  if (absolute.split('/').some(isGitName)) return { kind: isBelow(absolute, workspaceRoot) ? 'git' : 'outside', path: absolute }
  if (absolute === workspaceRoot && absolute !== '/') return { kind: 'workspace', path: '' }
  if (isBelow(absolute, workspaceRoot)) return { kind: 'inside', path: posix.relative(workspaceRoot, absolute) }
  if (isBelow(workspaceRoot, absolute) || isBelow(home, absolute)) return { kind: 'above', path: absolute }
  if (absolute.startsWith('/dev/')) return { kind: deviceKind(absolute), path: absolute }
  if (/^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders)(?:\/|$)/.test(absolute)) return { kind: 'temporary', path: absolute }
  return { kind: 'outside', path: absolute }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

function deviceKind(absolute: string): PlaceKind {
  if (/^\/dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|tty|fd\/\d+)$/.test(absolute)) return 'stream'
  if (/^\/dev\/(?:tcp|udp)(?:\/|$)/.test(absolute)) return 'network'
  return absolute.startsWith('/dev/shm/') ? 'temporary' : 'device'
}

/** `.git` as any file system spells it, or as a pattern may match it. */
function isGitName(name: string): boolean {
  const plain = name
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|::?\$.*$|[. ]+$/g, '')
    .toLowerCase()
  if (plain === '.git' || plain === 'git~1') return true
  if (!plain.startsWith('.') || !plain.includes(anyName)) return false
  return new RegExp(
    `^${plain
      .split(anyName)
      .map((text) => text.replace(/[^\w]/g, '\\$&'))
      .join('.*')}$`,
  ).test('.git')
}

const startupNames =
  /^\.(?:bash(?:rc|_profile|_login|_logout|_aliases|_history)|profile|zsh(?:rc|env|_history)|zprofile|zlogin|kshrc|cshrc|tcshrc|login|inputrc|xinitrc|xprofile|xsession|gitconfig|ssh|pam_environment|config\/(?:fish|autostart|systemd|git|environment\.d)|gnupg|vimrc|npmrc|netrc|pypirc)(?:\/|$)/

function isStartup(absolute: string, home: string): boolean {
  if (/^\/etc\/(?:profile|bash|zsh|environment|cron|rc\.|init|systemd|sudoers|ld\.so)/.test(absolute)) return true
  const below = isBelow(absolute, home)
    ? posix.relative(home, absolute)
    : /^\/root\/|^\/home\/[^/]+\//.test(absolute)
      ? absolute.replace(/^\/root\/|^\/home\/[^/]+\//, '')
      : null
  return below !== null && startupNames.test(below)
}

/** A path for a reason: short, and with its unknown parts visible. */
export function shownPath(text: string): string {
  const readable = text
    .replaceAll(unknownText, '…')
    .replaceAll(anyName, '*')
    .replace(/[\0-\x1f\x7f]/g, '?')
  return readable.length > 80 ? `${readable.slice(0, 79)}…` : readable || '""'
}

/** What writing to a path means; `does` says what is done to it, as in "Writes". */
export function writing(field: Field, ground: Ground, does = 'Writes'): Finding {
  const place = placeOf(field.text, ground)
  const { shown } = place
  switch (place.kind) {
    case 'stream':
      return allows()
    case 'inside':
    case 'workspace':
      return asks(`${does} ${shown}`)
    case 'temporary':
      return asks(`${does} ${shown} in the temporary folder`)
    case 'unknown':
      return asksAlways(`${does} a place that its text does not tell (${shown})`)
    case 'git':
      return denied(`${does} ${shown}, which belongs to git. Use git itself to change it.`)
    case 'startup':
      return denied(`${does} ${shown}, which other programs run or trust. Ask the person to change it.`)
    case 'device':
      return denied(`${does} the device ${shown}. Write a file in the workspace instead.`)
    case 'network':
      return denied(`Opens a raw network connection (${shown}). Use a program such as curl, which can be approved.`)
    case 'above':
    case 'outside':
      return denied(`${does.replace(/ (?:to|in|of)$/, '')} outside the workspace (${shown}). Use a path inside it.`)
  }
}

/** What deleting a path means. */
export function deleting(field: Field, ground: Ground): Finding {
  const place = placeOf(field.text, ground)
  if (isWhole(placeOf(field.whenEmpty, ground), field.whenEmpty)) {
    if (field.whenEmpty === field.text)
      return denied(`Deletes ${place.shown} with all that is in it. Name the files inside the workspace that should go.`)
    return denied(`Deletes ${shownPath(field.whenEmpty)} with all that is in it should a variable be empty. Write the path out.`)
  }
  switch (place.kind) {
    case 'workspace':
      return denied('Deletes the whole workspace. Name the files that should go.')
    case 'inside':
      return asks(`Deletes ${place.shown}`)
    case 'unknown':
      return asksAlways(`Deletes what its text does not tell (${place.shown})`)
    default:
      return writing(field, ground, 'Deletes')
  }
}

/** The root, home, a folder of the system or around the workspace; also all that lies in one. */
function isWhole(place: Place, text: string): boolean {
  if (text === '') return false
  if (place.kind === 'above') return true
  return place.kind === 'outside' && systemFolders.test(place.path)
}

const systemFolders = new RegExp(
  `^/(?:${anyName}|(?:(?:bin|boot|etc|lib\\w*|media|mnt|opt|proc|root|run|sbin|srv|sys|usr|var|System|Library|Applications|(?:home|Users)(?:/[^/]+)?)(?:/${anyName})?))$`,
)

/** What reading a path means. */
export function reading(field: Field, ground: Ground): Finding {
  const place = placeOf(field.text, ground)
  const { shown } = place
  const level = sensitivityOf(place.kind === 'inside' ? place.path : place.path.replace(/^\//, ''), ground.sensitivePaths)
  if (level && level !== 'PUBLIC' && level !== 'INTERNAL') return asksToRead(`Reads ${shown}, which may hold secrets`)
  switch (place.kind) {
    case 'stream':
      return allows()
    case 'inside':
    case 'workspace':
    case 'git':
      if (isLedOutside(field.text, ground)) return asksToRead(`Reads ${shown}, which a link may lead outside the workspace`)
      return place.kind === 'git' && /\/\.git\/config$/i.test(place.path) ? asksToRead(`Reads ${shown}, which may hold secrets`) : allows()
    case 'unknown':
      return { ...asksToRead(`Reads what its text does not tell (${shown})`), canBeRuled: false }
    case 'device':
      return asksToRead(`Reads the device ${shown}`)
    case 'network':
      return denied(`Opens a raw network connection (${shown}). Use a program such as curl, which can be approved.`)
    case 'startup':
    case 'temporary':
    case 'above':
    case 'outside':
      return asksToRead(`Reads outside the workspace (${shown})`)
  }
}
