import { describe, expect, it } from 'vitest'
import { callBudgetMs } from './client-budgets.js'

describe('the budget of a call', () => {
  /** Client, seconds after which it was seen to give up without and with progress, over stdio and over HTTP; `null`: not seen. */
  const seen = [
    ['opencode', { stdio: [61, null], http: [61, null] }],
    ['codex-mcp-client', { stdio: [300, 300], http: [300, 300] }],
    ['claude-code', { stdio: [1_800, 1_800], http: [300, null] }],
    ['gemini-cli-mcp-client-overturn', { stdio: [600, 600], http: [600, 600] }],
    ['qwen-cli-mcp-client-overturn', { stdio: [600, 600], http: [600, 600] }],
    ['an SDK client', { stdio: [60, 60], http: [60, 60] }],
  ] as const

  it('ends before each client gives up, and uses most of its patience', () => {
    for (const [client, limits] of seen) {
      for (const transport of ['stdio', 'http'] as const) {
        for (const hasToken of [false, true]) {
          const limit = limits[transport][hasToken ? 1 : 0] ?? 400
          const share = callBudgetMs({ client, transport, hasToken }) / 1000 / limit
          expect([client, transport, hasToken, share > 0.8 && share <= 0.98]).toEqual([client, transport, hasToken, true])
        }
      }
    }
  })

  it('knows a client in any case, and nobody by a part of its name', () => {
    const budget = (client: string): number => callBudgetMs({ client, transport: 'stdio', hasToken: false })
    expect([budget('Claude Code'), budget('my-claude'), budget('')]).toEqual([1_500_000, 50_000, 50_000])
  })
})
