import { type Inner, type Judge } from './call.js'
import { asks, asksAlways, type Finding } from './findings.js'
import { deleting, reading, writing } from './places.js'
import { anyName, plainField, type Field } from './shell-fields.js'

const findTests =
  /^-(?:name|iname|path|ipath|wholename|regex|iregex|type|xtype|size|mtime|atime|ctime|mmin|amin|cmin|newer\w*|anewer|cnewer|perm|user|group|uid|gid|links|inum|samefile|maxdepth|mindepth|lname|ilname|fstype|regextype|printf|used|context)$/

/** Options of find that only choose; all that is neither one of these nor known otherwise asks. */
function isFindTest(text: string): 'takes a word' | 'alone' | null {
  if (findTests.test(text)) return 'takes a word'
  return /^(?:[()!,]|-(?:print0?|ls|prune|not|a|and|o|or|empty|true|false|depth|d|daystart|follow|mount|xdev|noleaf|readable|writable|executable|nouser|nogroup|quit|nowarn|warn|ignore_readdir_race))$/.test(
    text,
  )
    ? 'alone'
    : null
}

/** find reads, deletes, writes lists, and runs commands on what it finds. */
export const find: Judge = ({ words, ground }) => {
  const findings: Finding[] = []
  const inner: Inner[] = []
  let at = 0
  while (/^-(?:[HLP]|O\d?|D)$/.test(words[at]?.text ?? '')) at += words[at]?.text === '-D' ? 2 : 1
  const starts: Field[] = []
  for (; at < words.length && !/^[-(!,]/.test(words[at]?.text ?? ''); at++) starts.push(...words.slice(at, at + 1))
  if (starts.length === 0) starts.push(plainField('.'))
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? ''
    if (/^-(?:exec|execdir|ok|okdir)$/.test(text)) {
      const end = words.findIndex((word, index) => index > at && (word.text === ';' || (word.text === '+' && words[index - 1]?.text === '{}')))
      const command = words.slice(at + 1, end < 0 ? undefined : end)
      for (const start of starts) inner.push({ kind: 'words', words: command.map((word) => onFound(word, start)) })
      at = end < 0 ? words.length : end
    } else if (text === '-delete') {
      findings.push(...starts.map((start) => deleting(belowStart(start), ground)))
    } else if (/^-(?:fprint0?|fls|fprintf)$/.test(text)) {
      at++
      findings.push(...words.slice(at, at + 1).map((field) => writing(field, ground)))
      if (text === '-fprintf') at++
    } else if (text === '-files0-from') {
      at++
      findings.push(asksAlways('Searches places that its text does not tell'))
    } else {
      const test = isFindTest(text)
      if (test === 'takes a word') at++
      else if (test === null) findings.push(asks(`find with ${text.slice(0, 20) || 'an empty word'}, which is not known`))
    }
  }
  return { findings: [...starts.map((start) => reading(start, ground)), ...findings], inner }
}

/** What stands for a found file in the command that find runs. */
function onFound(word: Field, start: Field): Field {
  if (!word.text.includes('{}')) return word
  const found = belowStart(start)
  return { ...word, text: word.text.replaceAll('{}', found.text), whenEmpty: word.whenEmpty.replaceAll('{}', found.whenEmpty), isPlain: false }
}

/** All that lies below a place. */
export function belowStart(start: Field): Field {
  const below = (text: string): string => `${text.replace(/\/+$/, '')}/${anyName}`
  return { ...start, text: below(start.text), whenEmpty: below(start.whenEmpty), isPlain: false }
}
