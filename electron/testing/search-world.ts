import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { SearchFilter, SearchHit } from '../../shared/search.js'
import { silentLog } from '../base/log.js'
import { openDataFolder } from '../base/settings.js'
import { openBackupStore } from '../history/backup-store.js'
import { openJournal } from '../history/journal.js'
import type { MovesDeps } from '../search/file-moves.js'
import { createSearch, type Search } from '../search/search.js'
import { createLibrary, type Library } from '../sessions/library.js'
import { sedInThisThread } from './open-simulated.js'

/** Places for logs of every agent, a folder to work in, and the search over what lies there. */
export interface SearchWorld {
  /** Qwen's own folder: what a simulated agent is saved to. */
  readonly home: string
  readonly data: string
  /** Real path of a folder for files. */
  readonly folder: string
  /** A new library over what lies there now; `more` are logs and folders elsewhere, all sessions attached to a folder if one is named. */
  search(more?: readonly string[], attached?: string): Promise<{ readonly search: Search; readonly library: Library; readonly deps: MovesDeps }>
}

/** `data` is an existing data folder, for sessions of ours. */
export function searchWorld(ownData: string | null = null): SearchWorld {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'overturn-search-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [home, data, folder] = [join(root, 'qwen'), ownData ?? join(root, 'data'), join(root, 'work')]
  for (const each of [home, folder]) mkdirSync(each)
  openDataFolder(data)
  return {
    home,
    data,
    folder,
    search: async (more = [], attached) => {
      const store = await openBackupStore(data)
      const library = createLibrary({
        dataFolder: data,
        environment: { QWEN_HOME: home },
        home: root,
        log: silentLog,
        store,
        locations: () => more,
        attachments: () => ({}),
        fallbackWorkspace: attached ?? null,
        isFallbackForced: attached !== undefined,
        isWatching: false,
        onChanged: () => undefined,
      })
      const deps: MovesDeps = {
        list: async (signal) => {
          await library.whenListed(signal)
          return library.list().sessions
        },
        open: library.open,
        journalOf: (session, workspace) => openJournal(data, session, workspace, silentLog),
        store,
        sed: sedInThisThread,
        log: silentLog,
      }
      const search = createSearch(deps)
      onTestFinished(async () => {
        search.close()
        await library.close()
      })
      return { search, library, deps }
    },
  }
}

export const everything: SearchFilter = { agents: null, kinds: null, workspace: null, path: null, from: null, to: null }

/** All hits, page by page. */
export async function findAll(search: Search, text: string, filter: Partial<SearchFilter> = {}, limit = 50): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = []
  let cursor: string | null = null
  do {
    const page = await search.find({ text, filter: { ...everything, ...filter }, cursor, limit })
    hits.push(...page.hits)
    cursor = page.next
  } while (cursor !== null)
  return hits
}
