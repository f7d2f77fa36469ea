import { decline } from './decline.js'

/** What a locale means for sed: how bytes form characters, and in which order ranges run. */
export type SedLocale =
  | { readonly kind: 'bytes' } // C and POSIX
  | { readonly kind: 'utf8'; readonly order: 'codePoint' | 'language' } // C.UTF-8; en_US.UTF-8 and its like

/** Declines a locale whose characters are neither bytes nor UTF-8. `name` is what LC_ALL, LC_CTYPE or LANG holds. */
export function readLocale(name: string): SedLocale {
  if (name === 'C' || name === 'POSIX') return { kind: 'bytes' }
  const match = /^(\w+)\.utf-?8$/i.exec(name)
  if (match === null) return decline(`the locale ${name} is neither C nor UTF-8`)
  return { kind: 'utf8', order: match[1] === 'C' ? 'codePoint' : 'language' }
}
