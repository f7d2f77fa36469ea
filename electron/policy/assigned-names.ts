import { forEachChild, type Command, type SyntaxNode } from 'unbash'

/** The variables that a part of a script may set; `any` where its text does not tell. */
export type Assigned = ReadonlySet<string> | 'any'

const setters =
  /^(?:read|mapfile|readarray|getopts|printf|wait|let|export|declare|typeset|local|readonly|unset|command|builtin|exec|eval|source|\.|trap|set)$/

const setUnasked = ['REPLY', 'MAPFILE', 'OPTARG', 'OPTIND', 'COPROC']

/** All variables that these nodes may set, whichever of their commands run, and how often. */
export function assignedBy(...nodes: readonly SyntaxNode[]): Assigned {
  const names = new Set<string>()
  let isOpen = false
  const addNames = (text: string): void => {
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) names.add(name)
  }
  const addCommand = (command: Command): void => {
    if (command.name === undefined) return
    const name = command.name.value
    if (isDynamic(command.name)) isOpen = true
    if (!setters.test(name)) return
    setUnasked.forEach((unasked) => names.add(unasked))
    for (const word of command.args) {
      if (word.type === 'Assignment') continue
      if (name !== 'printf' || command.args[0]?.text.startsWith('-')) addNames(word.value)
      if (isDynamic(word) && name !== 'printf') isOpen = true
    }
    if (/^(?:eval|source|\.)$/.test(name)) isOpen = true
  }
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command') addCommand(node)
    if (node.type === 'Assignment') names.add(node.name)
    if (node.type === 'For' || node.type === 'Select') names.add(node.name.value).add('REPLY')
    if (node.type === 'Redirect' && node.descriptor?.type === 'FileDescriptorVariable') names.add(node.descriptor.name)
    if (node.type === 'ArithmeticWord') addNames(node.value)
    if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default' && node.operation.operator.includes('=')) addNames(node.parameter)
    // A name for that parameter stands in a variable.
    if (node.type === 'ParameterExpansion' && node.prefix === '!' && node.operation) isOpen = true
    if ((node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') && node.script === undefined) isOpen = true
    forEachChild(node, visit)
  }
  nodes.forEach(visit)
  return isOpen ? 'any' : names
}

function isDynamic(node: SyntaxNode): boolean {
  let found = false
  const visit = (inner: SyntaxNode): void => {
    if (inner.type.endsWith('Expansion')) found = true
    else forEachChild(inner, visit)
  }
  visit(node)
  return found
}
