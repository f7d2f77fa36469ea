/**
 * Whether a Python or JavaScript program given on the command line surely leaves fresh modification times on what it
 * writes. Agents edit files with such programs all the time; without this look each of them would cast doubt on every
 * file of the session.
 *
 * Shape: `true` only for programs that use nothing but reading, writing and text functions.
 */
export function writesFreshly(language: 'python' | 'node', program: string): boolean {
  return language === 'python' ? isPlainPython(program) : isPlainNode(program)
}

/** Whether such a program may delete files. */
export function mayDelete(program: string): boolean {
  return /unlink|remove|rmtree|rmdir|\brm(Sync)?\b|truncate/i.test(program)
}

/**
 * Files that such a program names when it opens them for writing, as a literal or by a variable that is set once. What it
 * writes there, and whether it comes to that, is not known.
 */
export function namesWritten(language: 'python' | 'node', program: string): readonly string[] {
  const names = new Set<string>()
  const literals = new Map<string, string | null>()
  for (const [, name = '', text = ''] of program.matchAll(/(?:^|[\n;]|\b(?:const|let|var)\s)\s*(\w+)\s*=\s*(['"][^'"\\]*['"])\s*(?=[\n;]|$)/g)) {
    literals.set(name, literals.has(name) ? null : text)
  }
  for (const pattern of language === 'python' ? pythonWrites : nodeWrites) {
    for (const [, argument = ''] of program.matchAll(pattern)) {
      const literal = /^['"]/.test(argument) ? argument : literals.get(argument)
      if (literal) names.add(literal.slice(1, -1))
    }
  }
  return [...names].filter((name) => name !== '')
}

const argument = String.raw`\s*(['"][^'"\\]+['"]|\w+)\s*`
const pythonWrites = [new RegExp(String.raw`\bopen\(${argument},\s*(?:mode\s*=\s*)?['"][wax]`, 'g'), new RegExp(String.raw`\bPath\(${argument}\)\s*\.\s*write_(?:text|bytes)\(`, 'g')]
const nodeWrites = [new RegExp(String.raw`\b(?:write|append)File(?:Sync)?\(${argument},`, 'g')]

const pythonModules = new Set(['re', 'json', 'sys', 'os', 'io', 'pathlib', 'textwrap', 'string', 'collections', 'itertools', 'csv', 'math', 'random', 'datetime', 'typing'])
const pythonRisks = /utime|copystat|rename|hardlink|symlink|extract|system|popen|spawn|exec|eval|compile|getattr|__|link_to|import_module/i

function isPlainPython(program: string): boolean {
  const imports = [...program.matchAll(/^\s*(?:from\s+([\w.]+)\s+import\b|import\s+(.+))/gm)]
  const names = imports.flatMap(([, from, list]) => (from ? [from] : (list ?? '').split(/[,;]/).map((name) => name.trim().split(/\s/)[0] ?? '')))
  const inline = (program.match(/\bimport\b/g) ?? []).length
  if (names.some((name) => !pythonModules.has(name.split('.')[0] ?? '')) || inline > imports.length) return false
  return !pythonRisks.test(program) && !/\bos\s*\.\s*replace\b|import\s+replace\b/.test(program) && everyReplaceHasTwoArguments(program)
}

const nodeModules = /^(?:node:)?(?:fs|path|os|assert)$/

function isPlainNode(program: string): boolean {
  const required = [...program.matchAll(/\brequire\s*\(([^)]*)\)|\bfrom\s*(['"][^'"]*['"])/g)].map(([, a, b]) => (a ?? b ?? '').trim())
  const literal = required.map((name) => /^(['"])([\w:/]+)\1$/.exec(name)?.[2] ?? '')
  if (literal.some((name) => !nodeModules.test(name))) return false
  if ((program.match(/\brequire\b/g) ?? []).length + (program.match(/\bfrom\b/g) ?? []).length > required.length) return false
  return !/utimes|rename|\bcp(Sync)?\b|copy|link|eval|Function|process\.binding|import\s*\(|child_process|promises|\[\s*['"`]/.test(program)
}

/** `text.replace(a, b)` is about text, `path.replace(target)` moves a file with its old time. */
function everyReplaceHasTwoArguments(program: string): boolean {
  for (const match of program.matchAll(/\.\s*replace\s*\(/g)) {
    if (!hasSecondArgument(program, match.index + match[0].length)) return false
  }
  return true
}

function hasSecondArgument(program: string, from: number): boolean {
  let depth = 0
  let quote = ''
  for (let at = from; at < program.length; at++) {
    const char = program.charAt(at)
    if (quote) {
      if (char === '\\') at++
      else if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) {
      if (depth === 0) return false
      depth--
    } else if (char === ',' && depth === 0) return true
  }
  return false
}
