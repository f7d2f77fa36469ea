import { ReviewError } from '../../shared/errors.js'
import { promptId, workspacePath } from '../../shared/ids.js'
import { searchKinds, type SearchFilter, type SearchHit, type SearchKind } from '../../shared/search.js'
import type { SessionSummary } from '../../shared/session.js'
import type { ScriptedAnswers } from './scripted-changes.js'

/** Lines that stand in the scripted sessions, by kind. One of them is hostile. */
const lines: Readonly<Record<SearchKind, readonly string[]>> = {
  prompt: ['Apply discounts before tax, keep the line totals as they are', 'Add percentage discounts and vouchers, with a limit for each customer', 'Print the tax of each country on the receipt'],
  reply: ['The tax is now computed from the net amount; I left the rounding of totals alone and added a test for each rate that differs.', 'Done: **tax** takes a country, unknown countries throw.'],
  command: ['npm test -- --test-name-pattern "tax of country"', "sed -i 's/total(net)/total(net, tax)/' src/cart/total.ts src/checkout/tax.ts", 'git commit -m "tax\u202egpj.exe\u001b[2K" && rm -rf "$HOME/total"'],
  path: ['src/checkout/tax.ts', 'src/cart/total.ts', 'test/tax.test.ts'],
  change: ['  return Math.round(net * rates[to].standard) // tax, rounded half up', "export const taxLabel = (to: Country) => `VAT ${rates[to].standard}`", '\tif (total < 0 || tax < 0) throw new RangeError(`total ${total}, tax ${tax}`)', `${'const table = { de: 19, fr: 20, it: 22, es: 21, pl: 23, nl: 21, '.repeat(3)}tax: true, total: 12 }`],
}

function matches(session: SessionSummary, filter: SearchFilter): boolean {
  return (filter.agents?.includes(session.agent) ?? true) && (filter.workspace === null || filter.workspace === (session.workspace ?? session.recordedFolder))
}

function hitsOf(session: SessionSummary, at: number, text: string, filter: SearchFilter): readonly SearchHit[] {
  const wanted = text.toLowerCase()
  return searchKinds
    .filter((kind) => filter.kinds?.includes(kind) ?? true)
    .flatMap((kind, order) =>
      lines[kind].flatMap((line, index): SearchHit[] => {
        const start = line.toLowerCase().indexOf(wanted)
        if (start < 0 || (at + index + order) % 4 === 3) return []
        const turn = ((at * 5 + index * 2 + order) % 9) + 1
        const path = kind === 'path' || kind === 'change' ? workspacePath(kind === 'path' ? line : ['src/cart/total.ts', 'src/checkout/tax.ts'][index % 2] ?? line) : null
        return [
          {
            session: session.key, agent: session.agent, client: session.client, title: session.title, promptId: promptId(`p${turn}`), turn: index === 2 && kind === 'prompt' ? null : turn,
            at: session.lastActiveAt ?? 0, kind, path, hunk: kind === 'change' ? (index % 3) + 1 : null, callId: kind === 'command' ? `call-${index}` : null, text: line, start, end: start + wanted.length,
          },
        ]
      }),
    )
}

/** A search that goes through the sessions a few at a time, as slowly as `stepMs` says. */
export function scriptedSearch(sessions: readonly SessionSummary[], stepMs: number): ScriptedAnswers {
  return {
    'search.find': async ({ text, filter, cursor, limit }, { progress, signal }) => {
      if (text === 'fail') throw new ReviewError('INTERNAL', 'The index of the sessions is damaged. Search again.')
      const shown = sessions.filter((session) => matches(session, filter))
      const hits: SearchHit[] = []
      let at = Number(cursor ?? 0)
      const end = Math.min(shown.length, at + Math.max(1, Math.ceil(sessions.length / 12)))
      for (; at < end && hits.length < limit; at++) {
        await new Promise((resolve) => setTimeout(resolve, stepMs))
        if (signal.aborted) throw new ReviewError('CANCELLED', 'Cancelled. Nothing more was done.')
        const session = shown[at]
        if (session) hits.push(...hitsOf(session, at, text, filter))
        progress({ done: at + 1, total: shown.length, label: '' })
      }
      return { hits, next: at < shown.length ? String(at) : null, searchedSessions: at, sessions: shown.length, unreadable: shown.length > 20 ? 3 : 0 }
    },
    'search.why': async ({ line }) => {
      const session = sessions[1]
      if (line % 5 === 0 || !session) return { kind: 'not-recorded', line: 'export const office = "Finanzamt"', reason: 'It stood there before the first recorded session, on 12 Nov 2026.' }
      return {
        kind: 'written', session: session.key, agent: session.agent, client: session.client, title: session.title, promptId: promptId('p4'), turn: 4,
        prompt: 'Add percentage discounts and vouchers, with a limit for each customer. Keep the cents as they are and say in the receipt which voucher was used.',
        at: session.lastActiveAt ?? 0, callId: 'call-1', cause: line % 2 === 0 ? 'sed' : 'edit', hunk: 2, line: '  const rate = rates[to].standard', before: '  const rate = TAX_RATE', passed: line % 3,
      }
    },
  }
}
