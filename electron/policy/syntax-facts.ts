import { forEachChild, type SyntaxNode } from 'unbash'

/** Whether a function starts itself in the background or in a pipe, which doubles it each time. */
export function callsItself(node: SyntaxNode, name: string): boolean {
  let calls = 0
  let isParallel = false
  const visit = (inner: SyntaxNode): void => {
    if (inner.type === 'Command' && inner.name?.value === name) calls++
    if (inner.type === 'Pipeline' && inner.commands.length > 1) isParallel = true
    if (inner.type === 'Statement' && inner.background) isParallel = true
    forEachChild(inner, visit)
  }
  visit(node)
  return calls > 1 || (calls === 1 && isParallel)
}

/** Whether a substitution ends with what ends it, and not where something around it does. */
export function isClosed(text: string): boolean {
  if (text.startsWith('`')) return text.length > 1 && text.endsWith('`')
  return text.endsWith(text.startsWith('${') ? '}' : ')')
}
