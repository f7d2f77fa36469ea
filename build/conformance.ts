// Holds the agent endpoint against the official MCP suites: `node build/run.cjs conformance [--node PATH]`.
// They are fetched by npx and want Node 22; with an older one, or without a network, it says so and passes.

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { openHttpEndpoint } from '../electron/agents/http-endpoint.js'
import { newSecret } from '../electron/base/secrets.js'
import { silentLog } from '../electron/base/log.js'
import { fakeDesk } from '../electron/testing/fake-desk.js'

const run = promisify(execFile)
const suite = '@modelcontextprotocol/conformance@0.1.16'
const inspector = '@modelcontextprotocol/inspector@2.12.0'
/** The others call tools of a fixture server. */
const scenarios = ['server-initialize', 'ping', 'tools-list', 'logging-set-level', 'server-sse-multiple-streams', 'dns-rebinding-protection']

/** Adds what the settings of an agent add, since the suite sends no header of its own: the token and the workspace. */
async function startProxy(port: number, token: string, workspace: string): Promise<Server> {
  const path = `/mcp?${new URLSearchParams({ workspace }).toString()}`
  const proxy = createServer((asked, answered) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` }
    const onward = request({ host: '127.0.0.1', port, path, method: asked.method, headers }, (response) => {
      answered.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answered)
    })
    onward.on('error', () => answered.destroy())
    answered.on('close', () => onward.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return proxy
}

const { values } = parseArgs({ options: { node: { type: 'string', default: process.execPath } } })
const folder = await mkdtemp(join(tmpdir(), 'overturn-conformance-'))
const env = { ...process.env, PATH: `${dirname(values.node)}${delimiter}${process.env['PATH'] ?? ''}` }
const npx = (packageName: string, words: readonly string[]): Promise<{ stdout: string }> =>
  run('npx', ['--yes', '--package', packageName, '--', ...words], { cwd: folder, env, timeout: 120_000 })

async function whySkipped(): Promise<string | null> {
  const { stdout } = await run(values.node, ['--version'])
  if (Number(/^v(\d+)/.exec(stdout)?.[1]) < 22) return `${stdout.trim()} is older than Node 22; name one with --node`
  const fetched = await npx(suite, ['conformance', '--version']).catch(() => null)
  return fetched === null ? 'the suites could not be fetched' : null
}

async function judge(): Promise<boolean> {
  const token = newSecret()
  const endpoint = await openHttpEndpoint({ desk: fakeDesk(), port: 0, token, version: '0.0.0', log: silentLog })
  const proxy = await startProxy(endpoint.port, token, folder)
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
  let isPassed = true
  const check = async (name: string, packageName: string, words: readonly string[]): Promise<void> => {
    const failure = await npx(packageName, words).then(() => null, (thrown: unknown) => thrown)
    process.stdout.write(`${name}: ${failure === null ? 'passed' : `failed\n${String(failure)}`}\n`)
    isPassed &&= failure === null
  }
  for (const scenario of scenarios) await check(scenario, suite, ['conformance', 'server', '--url', url, '--scenario', scenario, '-o', folder])
  await check('inspector, strict schemas', inspector, ['mcp-inspector', '--cli', url, '--transport', 'http', '--method', 'tools/list', '--strict'])
  proxy.closeAllConnections()
  proxy.close()
  await endpoint.close()
  return isPassed
}

try {
  const why = await whySkipped()
  if (why !== null) process.stdout.write(`Skipped: ${why}.\n`)
  else if (!(await judge())) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
