import { forEachChild, type Redirection, type SyntaxNode } from 'unbash'
import type { Input } from './call.js'
import { asks, asksAlways, type Finding } from './findings.js'
import { commandName } from './known-commands.js'
import { isDownloader } from './network-commands.js'
import { reading, writing } from './places.js'
import type { Scene } from './scene.js'
import { literalOf, readFields, unknownField } from './shell-fields.js'

/** What the files mean that a command reads from or writes to. */
export function judgeRedirections(redirects: readonly Redirection[], scene: Scene): readonly Finding[] {
  return redirects.flatMap((redirect): readonly Finding[] => {
    if (redirect.type !== 'Redirect') return []
    if (!redirect.target) return [asks('Writes to a place that is missing')]
    const [field = unknownField, ...more] = readFields(redirect.target, scene.variables)
    if (more.length > 0) return [asksAlways('Writes to several places')]
    if (/^[<>]&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(field.text)) return []
    if (redirect.operator === '<') return [reading(field, scene.ground)]
    const finding = writing(field, scene.ground)
    return finding.verdict === 'allowed' ? [] : [finding]
  })
}

/** What a command reads after its redirections; without any it reads what it was given. */
export function inputAfter(redirects: readonly Redirection[], scene: Scene, input: Input): Input {
  let given = input
  for (const redirect of redirects) {
    if (redirect.type === 'HereDoc') given = { text: redirect.body.text, isGiven: true, isDownload: false }
    else if (redirect.type === 'HereString') given = { text: textOf(redirect, scene), isGiven: true, isDownload: fetches(redirect) }
    else if (redirect.operator === '<') given = { text: null, isGiven: true, isDownload: fetches(redirect) }
  }
  return given
}

function textOf(redirect: Extract<Redirection, { readonly type: 'HereString' }>, scene: Scene): string | null {
  return redirect.target ? literalOf(readFields(redirect.target, scene.variables)[0]) : null
}

/** Whether a substitution in a node fetches something. */
function fetches(node: SyntaxNode): boolean {
  let found = false
  const visit = (inner: SyntaxNode): void => {
    if (inner.type === 'Command' && inner.name && isDownloader(commandName(inner.name.value))) found = true
    else forEachChild(inner, visit)
  }
  forEachChild(node, visit)
  return found
}

/** Whether a redirection only joins streams or throws them away, so that a command is still nothing but its words. */
export function isStream(redirect: Redirection, scene: Scene): boolean {
  if (redirect.type !== 'Redirect' || !redirect.target) return false
  const text = literalOf(readFields(redirect.target, scene.variables)[0]) ?? ''
  return (
    (/^[<>]&$/.test(redirect.operator) && /^(?:\d+-?|-)$/.test(text)) || (redirect.operator !== '<' && /^\/dev\/(?:null|stdout|stderr)$/.test(text))
  )
}
