import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../base/log.js'
import { openPolicyFile } from './policy-file.js'
import { defaultPolicy } from './policy-shape.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'policy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () => openPolicyFile(folder, silentLog)
const write = (text: string): void => writeFileSync(join(folder, 'policy.json'), text)
const rule = { id: 'r1', command: 'npm test', workspace: null, addedAt: 5 }

describe('the policy file', () => {
  it('needs none: the defaults hold, and nothing is written', () => {
    const policy = open()
    expect([policy.current(), policy.problem(), readdirSync(folder)]).toEqual([defaultPolicy, null, []])
  })

  it('is written readable and short, with what was set', async () => {
    const policy = open()
    await policy.update((settings) => ({ ...settings, rules: [rule], redactSecrets: false }))
    expect(readFileSync(policy.file, 'utf8')).toBe(`${JSON.stringify({ rules: [rule], redactSecrets: false }, null, 2)}\n`)
    expect(open().current()).toEqual({ ...defaultPolicy, rules: [rule], redactSecrets: false })
  })

  it('counts at the next use after a person changed it', () => {
    const policy = open()
    const before = policy.current().approvalMode
    write('{ "approvalMode": "plan" }')
    const after = policy.current().approvalMode
    rmSync(join(folder, 'policy.json'))
    expect([before, after, policy.current().approvalMode]).toEqual(['ask', 'plan', 'ask'])
  })

  it.each([
    ['no JSON', '{\n  "rules": [],\n  oops\n}', 3, 'no JSON'],
    ['an unknown key', '{\n  "rules": [],\n  "ruls": []\n}', 3, 'ruls'],
    [
      'an unknown key in a rule',
      '{\n  "rules": [\n    { "id": "a", "command": "ls", "workspace": null, "addedAt": 1, "regex": true }\n  ]\n}',
      3,
      'regex',
    ],
    ['a wrong type', '{\n  "redactSecrets": "yes"\n}', 2, 'redactSecrets'],
    ['a level that there is not', '{\n  "sensitivePaths": [\n    { "pattern": "x",\n      "level": "SECRET" }\n  ]\n}', 4, 'sensitivePaths.0.level'],
    ['a limit out of range', '{\n\n  "commandTimeLimitMs": 5\n}', 3, 'commandTimeLimitMs'],
    ['another top', '[]', 1, 'wrong'],
  ])('is refused with its line and key for %s, and the last good one holds, also after a restart', async (_name, text, line, named) => {
    await open().update((settings) => ({ ...settings, rules: [rule] }))
    const policy = open()
    write(text)
    const again = open()
    expect([
      policy.problem()?.line,
      policy.problem()?.message.includes(named),
      policy.current().rules,
      again.problem()?.line,
      again.current().rules,
    ]).toEqual([line, true, [rule], line, [rule]])
  })

  it('keeps a copy of a good file that a person wrote', async () => {
    write('{ "approvalMode": "plan" }')
    await open().reload()
    write('nonsense')
    expect(open().current().approvalMode).toBe('plan')
  })

  it('never overwrites a bad file', async () => {
    write('{ bad')
    await expect(open().update((settings) => settings)).rejects.toMatchObject({ code: 'POLICY_INVALID', details: { line: 1 } })
    expect(readFileSync(join(folder, 'policy.json'), 'utf8')).toBe('{ bad')
  })

  it('refuses a change that is not valid, and writes nothing', async () => {
    await expect(open().update((settings) => ({ ...settings, commandTimeLimitMs: -1 }))).rejects.toMatchObject({ code: 'POLICY_INVALID' })
    expect(readdirSync(folder)).toEqual([])
  })

  it('keeps what two windows set at the same time', async () => {
    const [one, other] = [open(), open()]
    const adding = (id: string) => (settings: typeof defaultPolicy) => ({ ...settings, rules: [...settings.rules, { ...rule, id }] })
    await Promise.all([one.update(adding('a')), other.update(adding('b')), one.update(adding('c'))])
    expect(
      one
        .current()
        .rules.map(({ id }) => id)
        .sort(),
    ).toEqual(['a', 'b', 'c'])
  })
})
