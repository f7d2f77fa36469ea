import type { ConnectRecipe } from '../../shared/agents.js'

export interface RecipeOptions {
  /** Absolute. */
  readonly workspace: string
  /** Program and first arguments that run our command line. */
  readonly command: readonly string[]
  /** Address of the loopback endpoint for this workspace. */
  readonly httpUrl: string
  readonly token: string
  /** Whose shell the commands are for. */
  readonly platform?: NodeJS.Platform
}

/** One way to connect, in the pieces that every agent writes down in its own form. */
interface Connection {
  readonly workspace: string
  readonly program: string
  readonly args: readonly string[]
  readonly httpUrl: string
  readonly bearer: string
  readonly token: string
  /** A command line of these words, quoted for the shell. */
  readonly line: (...words: readonly string[]) => string
  /** The same, run in the workspace: the agent writes into that folder, or for it. */
  readonly lineInside: (...words: readonly string[]) => string
}

const name = 'overturn'
/** The usual limit of Gemini CLI and qwen-code, written down so that a changed default does not cut calls off. */
const waitMs = 600_000
const codexTokenVariable = 'OVERTURN_AGENT_TOKEN'
const codexNeeds = ['required = true', 'default_tools_approval_mode = "approve"']

/** How each agent program is told of us, for one workspace. Commands and forms as their own `mcp add` writes them. */
export function connectRecipes(options: RecipeOptions): readonly ConnectRecipe[] {
  const { workspace, command, httpUrl, token, platform = process.platform } = options
  const [program = 'overturn', ...first] = command
  const line = (...words: readonly string[]): string => words.map((word) => quoted(word, platform)).join(' ')
  const connection: Connection = {
    workspace,
    program,
    args: [...first, 'mcp', '--workspace', workspace],
    httpUrl,
    bearer: `Authorization: Bearer ${token}`,
    token,
    line,
    lineInside: (...words) => `${line('cd', workspace)} && ${line(...words)}`,
  }
  return [claudeCode, qwenCode, geminiCli, codex, opencode, cursor, vsCode, other].map((recipe) => recipe(connection))
}

function claudeCode({ workspace, program, args, httpUrl, bearer, token, lineInside }: Connection): ConnectRecipe {
  const config = (server: object): string => json({ projects: { [workspace]: { mcpServers: { [name]: server } } } })
  const file = '~/.claude.json'
  return {
    id: 'claude-code',
    name: 'Claude Code',
    stdio: {
      command: lineInside('claude', 'mcp', 'add', '-s', 'local', name, '--', program, ...args),
      config: config({ type: 'stdio', command: program, args, env: {} }),
      file,
    },
    http: {
      command: lineInside('claude', 'mcp', 'add', '-s', 'local', '--transport', 'http', name, httpUrl, '-H', bearer),
      config: config({ type: 'http', url: httpUrl, headers: bearerHeaders(token) }),
      file,
    },
    advice: [
      `Add "permissions": { "allow": ["mcp__${name}__*"] } to .claude/settings.local.json, so that Claude Code does not ask before Overturn does.`,
      'Add "permissions": { "deny": ["Edit", "Write", "NotebookEdit", "Bash"] } there, so that it does not pass Overturn by.',
      'Prefer the local server: over HTTP Claude Code gives up after 5 minutes of silence without telling.',
      'Leave "timeout" of this server unset, or set it to 1800000 at least: progress does not extend it. MCP_TOOL_TIMEOUT likewise.',
      'An interactive session moves a call into the background after 2 minutes; CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS changes that.',
    ],
  }
}

function qwenCode({ program, args, httpUrl, bearer, token, lineInside }: Connection): ConnectRecipe {
  const limits = { timeout: waitMs, trust: true }
  const add = ['qwen', 'mcp', 'add', '-s', 'project', '--timeout', String(waitMs), '--trust']
  const file = '.qwen/settings.json'
  return {
    id: 'qwen-code',
    name: 'qwen-code',
    stdio: {
      command: lineInside(...add, name, program, ...args),
      config: mcpServers({ command: program, args, ...limits }),
      file,
    },
    http: {
      command: lineInside(...add, '-t', 'http', '-H', bearer, name, httpUrl),
      config: mcpServers({ httpUrl, headers: bearerHeaders(token), ...limits }),
      file,
    },
    advice: [
      `Run "qwen mcp approve ${name}" in the folder once, where your version has that: servers of a folder wait for it.`,
      '"trust": true keeps qwen-code from asking before Overturn does; it counts in trusted folders.',
      `Keep "timeout" at ${waitMs} or above: Overturn answers within 9 minutes.`,
      keepOutOfGit(file),
    ],
  }
}

function geminiCli({ program, args, httpUrl, bearer, token, lineInside }: Connection): ConnectRecipe {
  const limits = { timeout: waitMs, trust: true }
  const add = ['gemini', 'mcp', 'add', '--timeout', String(waitMs), '--trust']
  const file = '.gemini/settings.json'
  return {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    stdio: {
      command: lineInside(...add, name, program, ...args),
      config: mcpServers({ command: program, args, ...limits }),
      file,
    },
    http: {
      command: lineInside(...add, '-t', 'http', '-H', bearer, name, httpUrl),
      config: mcpServers({ url: httpUrl, type: 'http', headers: bearerHeaders(token), ...limits }),
      file,
    },
    advice: [
      'Start Gemini CLI in the folder once and trust it: servers of a folder that is not trusted stay off.',
      'With -p it hides write_file, whosever it is, together with its own; apply_patch makes new files as well.',
      '"trust": true keeps Gemini CLI from asking before Overturn does; without it, it always asks.',
      `Keep "timeout" at ${waitMs} or above: Overturn answers within 9 minutes.`,
      keepOutOfGit(file),
    ],
  }
}

function codex({ program, args, httpUrl, token, line }: Connection): ConnectRecipe {
  const config = (lines: readonly string[]): string => [`[mcp_servers.${name}]`, ...lines, ''].join('\n')
  const file = '~/.codex/config.toml'
  return {
    id: 'codex',
    name: 'Codex',
    stdio: {
      command: line('codex', 'mcp', 'add', name, '--', program, ...args),
      config: config([`command = ${toml(program)}`, `args = [${args.map(toml).join(', ')}]`, ...codexNeeds]),
      file,
    },
    http: {
      command: line('codex', 'mcp', 'add', name, '--url', httpUrl, '--bearer-token-env-var', codexTokenVariable),
      config: config([`url = ${toml(httpUrl)}`, `bearer_token_env_var = ${toml(codexTokenVariable)}`, ...codexNeeds]),
      file,
    },
    advice: [
      `The command leaves out two lines that are wanted below [mcp_servers.${name}]: required = true, or the first request goes out without our tools, and default_tools_approval_mode = "approve", or "codex exec" refuses commands before Overturn can ask.`,
      'Codex keeps one list for all folders: put the table into .codex/config.toml of a trusted folder to keep it there, or run "codex mcp remove overturn" afterwards.',
      `Over HTTP, start Codex with ${codexTokenVariable}=${token} in its environment.`,
      'Start it with --sandbox read-only, so that it does not pass Overturn by: our tools work outside its sandbox.',
      `Leave tool_timeout_sec unset, or at 300 or above, below [mcp_servers.${name}]: Overturn answers within 270 seconds.`,
    ],
  }
}

function opencode({ program, args, httpUrl, bearer, token, line }: Connection): ConnectRecipe {
  const config = (server: object): string => json({ $schema: 'https://opencode.ai/config.json', mcp: { [name]: server } })
  const file = '~/.config/opencode/opencode.jsonc'
  return {
    id: 'opencode',
    name: 'opencode',
    stdio: {
      command: line('opencode', 'mcp', 'add', name, '--', program, ...args),
      config: config({ type: 'local', command: [program, ...args] }),
      file,
    },
    http: {
      command: line('opencode', 'mcp', 'add', name, '--url', httpUrl, '--header', bearer.replace(': ', '=')),
      config: config({ type: 'remote', url: httpUrl, headers: bearerHeaders(token) }),
      file,
    },
    advice: [
      'opencode keeps one list for all folders: put the configuration into opencode.jsonc of the folder instead to keep it there.',
      'It does not ask before it calls a tool of ours; nothing is to be set for that.',
      'Add "permission": { "edit": "deny", "bash": "deny" }, so that it does not pass Overturn by.',
      `Leave "timeout" of mcp.${name} unset, or set it to 60000 at least: Overturn answers within 55 seconds where no progress is asked for.`,
    ],
  }
}

function cursor({ program, args, httpUrl, token }: Connection): ConnectRecipe {
  const file = '.cursor/mcp.json'
  return {
    id: 'cursor',
    name: 'Cursor',
    stdio: { command: null, config: mcpServers({ command: program, args }), file },
    http: { command: null, config: mcpServers({ url: httpUrl, headers: bearerHeaders(token) }), file },
    advice: ['Put the file into the folder, or use ~/.cursor/mcp.json for all folders.', keepOutOfGit(file)],
  }
}

function vsCode({ program, args, httpUrl, token, line }: Connection): ConnectRecipe {
  const local = { type: 'stdio', command: program, args }
  const remote = { type: 'http', url: httpUrl, headers: bearerHeaders(token) }
  const file = '.vscode/mcp.json'
  const config = (server: object): string => json({ servers: { [name]: server } })
  return {
    id: 'vscode',
    name: 'VS Code',
    stdio: { command: line('code', '--add-mcp', JSON.stringify({ name, ...local })), config: config(local), file },
    http: { command: line('code', '--add-mcp', JSON.stringify({ name, ...remote })), config: config(remote), file },
    advice: ['The command adds the server for all folders; the file adds it for this one alone.', keepOutOfGit(file)],
  }
}

function other({ program, args, httpUrl, bearer, token, line }: Connection): ConnectRecipe {
  return {
    id: 'other',
    name: 'Another agent',
    stdio: { command: line(program, ...args), config: mcpServers({ command: program, args }), file: 'its MCP settings' },
    http: { command: null, config: mcpServers({ url: httpUrl, headers: bearerHeaders(token) }), file: 'its MCP settings' },
    advice: [
      `Over HTTP it must send the header "${bearer}".`,
      'Overturn answers each call within 50 seconds; a longer review goes on with await_review.',
    ],
  }
}

function keepOutOfGit(file: string): string {
  return `Keep ${file} out of git: it holds a path of this machine and, over HTTP, a token.`
}

function mcpServers(server: object): string {
  return json({ mcpServers: { [name]: server } })
}

function bearerHeaders(token: string): object {
  return { Authorization: `Bearer ${token}` }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** A basic string of TOML, whose escapes JSON shares; TOML allows no raw DEL. */
function toml(text: string): string {
  return JSON.stringify(text).replace(/\u007f/g, '\\u007F')
}

function quoted(word: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (platform === 'win32') return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
  return `'${word.replace(/'/g, `'\\''`)}'`
}
