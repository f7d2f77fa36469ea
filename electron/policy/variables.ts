import { forEachChild, type SyntaxNode } from 'unbash'
import { asks, asksAlways, denied, type Finding } from './findings.js'

/** Variables with which the shell, the loader, git or a language can be made to run other programs, or to find others. */
const steering = namePattern(`
  PATH HOME IFS ENV BASH_ENV BASH_FUNC_* SHELL SHELLOPTS BASHOPTS PS[0-4] PROMPT_COMMAND CDPATH GLOBIGNORE EXECIGNORE TMPDIR TMP
  TEMP EDITOR VISUAL PAGER MANPAGER BROWSER USER LOGNAME DISPLAY LD_* DYLD_* GIT_* SSH_* NODE_* npm_* NPM_* YARN_* PYTHON*
  PERL* RUBY* GEM_* BUNDLE_* JAVA_* _JAVA_OPTIONS JDK_* CLASSPATH GO[A-Z]+ CARGO_* RUST* CC CXX CFLAGS LDFLAGS MAKEFLAGS
  MAKE LESS* GREP_* RIPGREP_* XDG_* DOCKER_* KUBE* AWS_* https?_proxy HTTPS?_PROXY ALL_PROXY all_proxy no_proxy NO_PROXY
  CURL_* WGETRC SSL_* OPENSSL_* ELECTRON_* OVERTURN_* TERM LANG LC_* LOCPATH TZ FPATH ZDOTDIR FCEDIT HOSTALIASES MALLOC_*
  GCONV_PATH
`)

/** Names apart by blanks; a `*` stands for any text. */
function namePattern(names: string): RegExp {
  return new RegExp(`^(?:${names.trim().replaceAll('*', '.*').split(/\s+/).join('|')})$`)
}

/** What setting a variable of the shell means; `null` for one that only this line knows. */
export function judgeAssignment(name: string): Finding | null {
  if (name.startsWith('HIST')) return denied('Changes the history of the shell. Leave it as it is.')
  if (steering.test(name)) return asksAlways(`Sets ${name.slice(0, 40)}, which later commands go by`)
  return null
}

/** Commands that set variables by name. */
export function judgeDeclaration(name: string, words: readonly { readonly text: string }[]): readonly Finding[] {
  if (
    /^(?:export|typeset|declare|local|readonly|unset|read|mapfile|readarray|getopts|let)$/.test(name) &&
    words.some(({ text }) => text.startsWith('HIST'))
  )
    return [denied('Changes the history of the shell. Leave it as it is.')]
  const isPlain = words.every(({ text }) => /^[A-Za-z_]\w*(?:=|$)/.test(text))
  if ((name === 'local' || name === 'readonly') && isPlain) return words.flatMap(({ text }) => judgeAssignment(text.replace(/=.*/s, '')) ?? [])
  if (name === 'read' && words.every(({ text }) => text === '-r' || /^[A-Za-z_]\w*$/.test(text)))
    return words.flatMap(({ text }) => (text === '-r' ? [] : (judgeAssignment(text) ?? [])))
  if (name === 'export' && isPlain && words.length > 0) return [asks('Changes the environment of later commands')]
  return [asksAlways('Changes variables')]
}

/**
 * Arithmetic works out what its variables hold, and an index in that may be a substitution: text becomes a command that nobody
 * reads here. The same with `${name@P}` and `${!name}`.
 */
export function arithmeticFinding(node: SyntaxNode): Finding | null {
  let isOdd = false
  const visit = (inner: SyntaxNode): void => {
    if (inner.type === 'ArithmeticWord' && !/^(?:\d+|0x[\da-f]+|\$[#?$]|\$\{#\w+\})$/i.test(inner.value.trim())) isOdd = true
    if (
      inner.type === 'ParameterExpansion' &&
      (inner.prefix === '!' ||
        inner.index ||
        (inner.operation && !['Default', 'Remove', 'Replace', 'CaseModification'].includes(inner.operation.type)))
    ) {
      if (!isPlainSlice(inner)) isOdd = true
    }
    if (inner.type === 'TestUnary' && (inner.operator === '-v' || inner.operator === '-R')) isOdd = true
    if (
      inner.type === 'TestBinary' &&
      /^-(?:eq|ne|lt|le|gt|ge)$/.test(inner.operator) &&
      ![inner.left, inner.right].every((word) => /^\d+$/.test(word.value))
    )
      isOdd = true
    if (
      inner.type === 'Assignment' &&
      inner.value.type === 'ArrayValue' &&
      inner.value.elements.some(({ text }) => text.includes('[') && text.includes('=') && !/^\[\d+\]=/.test(text))
    )
      isOdd = true
    if (inner.type === 'Assignment' && inner.index && !/^\d+$/.test(inner.index.value)) isOdd = true
    // What is substituted is judged by itself.
    if (inner.type === 'CommandExpansion' || inner.type === 'ProcessSubstitution' || inner.type === 'ArithmeticCommandExpansion') return
    forEachChild(inner, visit)
  }
  visit(node)
  return isOdd ? { ...asks('Works out an expression in which variables may hold commands'), isReadOnly: true, canBeRuled: false } : null
}

/** `${a[@]}`, `${a[*]}`, `${a[0]}` and `${a:0:2}` work nothing out. */
function isPlainSlice(part: Extract<SyntaxNode, { readonly type: 'ParameterExpansion' }>): boolean {
  if (part.prefix === '!') return false
  if (part.index && !/^(?:[@*]|\d+)$/.test(part.index.value)) return false
  const { operation } = part
  if (!operation || operation.type === 'Default' || operation.type === 'Remove' || operation.type === 'Replace') return true
  return operation.type === 'Slice' && /^\s*-?\d+$/.test(operation.offset.value) && (!operation.length || /^\s*-?\d+$/.test(operation.length.value))
}
