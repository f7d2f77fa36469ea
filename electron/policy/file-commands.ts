import { Given, literals, valued } from './arguments.js'
import { named, outcome, type Call, type Judge } from './call.js'
import { allows, asks, asksToRead, denied, type Finding } from './findings.js'
import { placeOf, reading, writing, deleting } from './places.js'
import { belowStart, find } from './find-command.js'
import { plainField, type Field } from './shell-fields.js'

const rm: Judge = ({ words, ground }) => {
  const given = new Given(words)
  if (words.some((word) => word.text === '--no-preserve-root'))
    return outcome(denied('Deletes with --no-preserve-root. Name the files inside the workspace that should go.'))
  return outcome(...given.operands.map((field) => deleting(field, ground)), ...(given.operands.length === 0 ? [asks('Deletes files')] : []))
}

const rmdir: Judge = ({ words, ground }) => outcome(...new Given(words).operands.map((field) => deleting(field, ground)))

/** Commands whose operands are all written, made or changed. */
function writesAll(does: string, takes = valued(''), skip = 0): Judge {
  return ({ words, ground }) => {
    const given = new Given(words, takes)
    const findings = given.operands.slice(skip).map((field) => writing(field, ground, does))
    const references = given.values('r', 'reference').map((field) => reading(field, ground))
    return outcome(...findings, ...references, ...(findings.length === 0 ? [asks(`${does} files`)] : []))
  }
}

const tee: Judge = ({ words, ground }) => outcome(...new Given(words).operands.map((field) => writing(field, ground)))

/** A change of mode or owner: as with the others, and nothing may be handed to root. */
const chmod: Judge = ({ words, ground }) => {
  const given = new Given(words)
  const hasReference = given.has('', 'reference')
  // A mode such as -x looks like an option.
  const mode = words.find((word) => /^[-+=ugoarwxXst,]*[-+=][rwxXstugo]*$|^0*[0-7]{3,5}$/.test(word.text))
  const setsId = mode !== undefined && (/[ugoa]*\+[rwx]*s/.test(mode.text) || /^0*[2-7][0-7]{3}$/.test(mode.text))
  const files = given.operands.filter((word) => word !== mode)
  return outcome(
    ...(setsId ? [denied('Lets a program run with the rights of its owner. Leave the set-user bit off.')] : []),
    ...(mode === undefined && !hasReference ? [asks('Changes modes')] : []),
    ...files.map((field) => changing(field, ground, 'Changes the mode of')),
  )
}

/** Whole system folders are what this goes wrong with. */
function changing(field: Field, ground: Call['ground'], does: string): Finding {
  const place = placeOf(field.whenEmpty || field.text, ground)
  return place.kind === 'above' ? denied(`${does} ${place.shown}. Name files inside the workspace.`) : writing(field, ground, does)
}

const chown: Judge = ({ words, ground }) => {
  const given = new Given(words, valued('', 'from reference'))
  return outcome(
    asks('Changes owners'),
    ...given.operands.slice(given.has('', 'reference') ? 0 : 1).map((field) => changing(field, ground, 'Changes the owner of')),
  )
}

/** The sources and the target of cp, mv, install and ln. */
function copied(
  words: readonly Field[],
  takes = valued('tSZ', 'target-directory suffix'),
): { readonly given: Given; readonly sources: readonly Field[]; readonly target: Field | undefined } {
  const given = new Given(words, takes)
  const folder = given.values('t', 'target-directory')[0]
  const isAlone = folder === undefined && given.operands.length > 1
  return {
    given,
    sources: isAlone ? given.operands.slice(0, -1) : given.operands,
    target: isAlone ? given.operands[given.operands.length - 1] : folder,
  }
}

const cp: Judge = ({ words, ground }) => {
  const { sources, target } = copied(words)
  return outcome(...(target ? [writing(target, ground)] : [asks('Copies files')]), ...sources.map((field) => reading(field, ground)))
}

const mv: Judge = ({ words, ground }) => {
  const { sources, target } = copied(words)
  return outcome(...(target ? [writing(target, ground, 'Moves files to')] : [asks('Moves files')]), ...sources.map((field) => moving(field, ground)))
}

function moving(field: Field, ground: Call['ground']): Finding {
  const gone = deleting(field, ground)
  return gone.verdict === 'asks' ? { ...gone, reason: gone.reason.replace(/^Deletes/, 'moves') } : gone
}

const install: Judge = ({ words, ground }) => {
  const { given, sources, target } = copied(words, valued('gmotS', 'group mode owner target-directory suffix'))
  if (given.has('d', 'directory')) return outcome(...given.operands.map((field) => writing(field, ground, 'Makes')))
  return outcome(...(target ? [writing(target, ground)] : [asks('Copies files')]), ...sources.map((field) => reading(field, ground)))
}

const ln: Judge = ({ words, ground }) => {
  const { given, sources, target } = copied(words)
  const leads = sources.map((field) => placeOf(field.text, ground)).filter((place) => place.kind !== 'inside')
  const links = leads.map((place) => asks(`Makes a link to ${place.shown}, which lies outside the workspace`))
  return outcome(
    ...(target ? [writing(target, ground, 'Makes the link')] : [asks('Makes a link')]),
    ...links,
    ...(given.has('F') ? [asks('Replaces files')] : []),
  )
}

const dd: Judge = ({ words, ground }) => {
  const value = (key: string): readonly Field[] =>
    words.flatMap((word) => (word.text.startsWith(`${key}=`) ? [{ ...word, text: word.text.slice(3), whenEmpty: word.whenEmpty.slice(3) }] : []))
  return outcome(
    asks('Copies raw data'),
    ...value('of').map((field) => writing(field, ground)),
    ...value('if').map((field) => reading(field, ground)),
  )
}

const mknod: Judge = ({ words }) =>
  outcome(words.some((word) => /^[bcu]$/.test(word.text)) ? denied('Makes a device. No command of a workspace needs one.') : asks('Makes a pipe'))

/** An archiver: where it unpacks to, what it writes, and the programs that it can be made to run. */
const tar: Judge = ({ words, ground }) => {
  const first = words[0]
  const isOld = first !== undefined && /^[A-Za-z]+$/.test(first.text)
  const given = new Given(
    isOld && first ? [{ ...first, text: `-${first.text}` }, ...words.slice(1)] : words,
    valued('fCTXbgIFKLNV', 'file directory files-from exclude exclude-from use-compress-program transform'),
  )
  const runs = given.has('IF', 'use-compress-program', 'to-command', 'checkpoint-action', 'rsh-command', 'info-script', 'new-volume-script')
  const folders = given.values('C', 'directory')
  const files = given.values('f', 'file')
  const unpacks = given.has('x', 'extract', 'get')
  return outcome(
    asks(unpacks ? 'Unpacks an archive' : 'Reads or writes an archive'),
    ...(runs ? [asks('runs another program')] : []),
    ...(unpacks && given.has('P', 'absolute-names') ? [denied('Unpacks to absolute paths. Leave -P off.')] : []),
    ...folders.map((field) => (unpacks ? writing(field, ground, 'Unpacks to') : reading(field, ground))),
    ...files
      .filter((field) => field.text !== '-')
      .map((field) => (unpacks || given.has('t', 'list') ? reading(field, ground) : writing(field, ground))),
    ...(unpacks ? [] : given.operands.map((field) => reading(field, ground))),
  )
}

const unzip: Judge = ({ words, ground }) => {
  const given = new Given(words, valued('dxP'))
  return outcome(
    asks('Unpacks an archive'),
    ...given.values('d').map((field) => writing(field, ground, 'Unpacks to')),
    ...given.operands.slice(0, 1).map((field) => reading(field, ground)),
  )
}

/** The first operand is written, the others are read. */
const zip: Judge = ({ words, ground }) => {
  const { operands } = new Given(words, valued('xi'))
  return outcome(
    asks('Writes an archive'),
    ...operands.slice(0, 1).map((field) => writing(field, ground)),
    ...operands.slice(1).map((field) => reading(field, ground)),
  )
}

const patch: Judge = ({ words, ground }) => {
  const given = new Given(words, valued('diopFYVzBDr', 'directory input output strip'))
  return outcome(
    asks('Changes files as a patch says'),
    ...given.values('d', 'directory').map((field) => writing(field, ground, 'Changes files in')),
    ...given.values('or', 'output', 'reject-file').map((field) => writing(field, ground)),
    ...given.operands.slice(0, 1).map((field) => writing(field, ground, 'Changes')),
  )
}

const split: Judge = ({ words, ground }) => {
  const { operands } = new Given(words, valued('abClnt'))
  return outcome(asks('Writes files'), ...operands.slice(1).map((field) => writing(field, ground)))
}

const rsync: Judge = ({ words, ground }) => {
  const given = new Given(words, valued('efTB', 'rsh exclude include filter'))
  const isRemote = (field: Field): boolean => /^[^/]*:/.test(field.text)
  const targets = given.operands.slice(-1).filter((field) => !isRemote(field))
  return outcome(
    given.operands.some(isRemote) ? { ...asks('Reaches the network'), reachesNetwork: true } : asks('Copies files'),
    ...(given.has('e', 'rsh', 'rsync-path') ? [asks('runs another program')] : []),
    ...targets.map((field) => (words.some((word) => word.text.startsWith('--del')) ? deleting(belowStart(field), ground) : writing(field, ground))),
    ...given.operands
      .slice(0, -1)
      .filter((field) => !isRemote(field))
      .map((field) => reading(field, ground)),
  )
}

/** Changes files in place as a script of the line says. */
const inPlaceTool: Judge = ({ words, ground }) => outcome(asks('Changes files'), ...new Given(words).operands.map((field) => writing(field, ground)))

const mktemp: Judge = ({ words, ground }) => {
  const given = new Given(words, valued('p', 'tmpdir suffix'))
  return outcome(asks('Makes a temporary file'), ...given.operands.map((field) => writing(field, ground)))
}

const gzip: Judge = ({ words, ground }) => {
  const given = new Given(words, valued('S', 'suffix'))
  if (given.has('cltL', 'stdout', 'to-stdout', 'list', 'test'))
    return outcome(...given.operands.map((field) => reading(field, ground)), ...(given.operands.length === 0 ? [allows()] : []))
  return outcome(asks('Replaces files by packed or unpacked ones'), ...given.operands.map((field) => writing(field, ground, 'Replaces')))
}

/** Shows files in a screen of its own, from which commands can be started. */
const pager: Judge = ({ words, ground }) => outcome(asksToRead('Opens a pager'), ...new Given(words).operands.map((field) => reading(field, ground)))

const editor: Judge = ({ words, ground }) =>
  outcome(
    asks('Opens an editor'),
    ...new Given(words, valued('cSTuws')).operands.filter((field) => !field.text.startsWith('+')).map((field) => writing(field, ground, 'Edits')),
  )

const shred: Judge = () => outcome(denied('Destroys data beyond repair. Delete the file in the workspace with rm.'))

export const fileJudges: readonly (readonly [string, Judge])[] = [
  ['rm', rm],
  ['unlink', rm],
  ['rmdir', rmdir],
  ['shred', shred],
  ['srm', shred],
  ['mkdir', writesAll('Makes', valued('m', 'mode'))],
  ['touch', writesAll('Touches', valued('dtr', 'date reference time'))],
  ['truncate', writesAll('Cuts', valued('sro', 'size reference'))],
  ['mkfifo', writesAll('Makes', valued('m', 'mode'))],
  ['mknod', mknod],
  ['tee', tee],
  ['sponge', tee],
  ['chmod', chmod],
  ['chown', chown],
  ['chgrp', chown],
  ['setfacl', writesAll('Changes the rights of', valued('mxMX'))],
  ['chattr', writesAll('Changes the attributes of', valued(''), 1)],
  ['cp', cp],
  ['mv', mv],
  ['rename', inPlaceTool],
  ['install', install],
  ['ln', ln],
  ['dd', dd],
  ['tar', tar],
  ['bsdtar', tar],
  ['unzip', unzip],
  ['zip', zip],
  ['7z', asksOnly('Reads or writes an archive')],
  ['cpio', asksOnly('Reads or writes an archive')],
  ['patch', patch],
  ['split', split],
  ['csplit', split],
  ['rsync', rsync],
  ['find', find],
  ['gfind', find],
  ['mktemp', mktemp],
  ...named('gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd', gzip),
  ...named('less more most man', pager),
  ...named('vi vim nvim ex ed nano emacs view', editor),
]

function asksOnly(reason: string): Judge {
  return ({ words, ground }) =>
    outcome(
      asks(reason),
      ...literals(words)
        .filter((text) => text.startsWith('/') || text.includes('..'))
        .map((text) => reading(plainField(text), ground)),
    )
}
