import type { FileState } from '../../shared/file-state.js'
import type { LedgerPages, RecordedSession } from '../sessions/recorded-session.js'

/** What a line shows beside turn, edge, cause, path and both states. */
export interface LineParts {
  readonly call?: boolean
  readonly source?: boolean
}

/** The ledger of a session as lines such as `2- user a.txt: "old" > "new"`; `-` stands for before the turn. */
export async function ledgerLines(session: RecordedSession, { call = false, source = false }: LineParts = {}): Promise<readonly string[]> {
  const pages = await session.ledger?.pages()
  const lines: string[] = []
  for (const [at, { promptId }] of session.turns.entries()) {
    for (const mark of pages?.ofTurn(promptId) ?? []) {
      for (const path of mark.paths) {
        const change = await pages?.changeOf(mark, path)
        if (!pages || !change) continue
        const [before, after] = [await told(pages, change.before, source), await told(pages, change.after, source)]
        lines.push(`${at + 1}${mark.isBeforeTurn ? '-' : ''} ${mark.cause} ${call ? `${mark.callId} ` : ''}${path}: ${before} > ${after}`)
      }
    }
  }
  return lines
}

async function told(pages: LedgerPages, state: FileState, withSource: boolean): Promise<string> {
  if (state.kind === 'unknown') return `? ${state.reason}`
  if (state.kind !== 'file') return state.kind
  const text = JSON.stringify(Buffer.from((await pages.read?.(state.sha256)) ?? '').toString())
  return withSource ? `${text} (${pages.sourceOf?.(state.sha256)})` : text
}
