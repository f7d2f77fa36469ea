import { resolve } from 'node:path'
import { parseStrict } from '../base/strict-args.js'

export interface HostFlags {
  /** 0 takes any free port; `null` the usual one, or any free one when that is taken. */
  readonly port: number | null
  readonly opensBrowser: boolean
  /** Absolute; the folder to attach sessions to whose own is not here. */
  readonly workspace: string | null
  /** Absolute; more folders or files to look for sessions in. */
  readonly sessions: readonly string[]
}

export type FlagsResult = { readonly kind: 'flags'; readonly flags: HostFlags } | { readonly kind: 'usage'; readonly why: string }

export const usage = 'Usage: npm start -- [--web] [--port N] [--no-open] [--workspace DIR] [--sessions DIR]…'

/**
 * Reads the flags that both hosts take.
 *
 * Shape: `args` without the program; paths are resolved against `folder`. With `allowsOthers` unknown flags and words
 * are passed over, since a window's command line also holds the flags of its browser.
 */
export function readFlags(args: readonly string[], folder: string, allowsOthers: boolean): FlagsResult {
  const usageError = (why: string): FlagsResult => ({ kind: 'usage', why })
  try {
    const { values } = parseStrict({
      args: [...args],
      strict: !allowsOthers,
      allowPositionals: allowsOthers,
      options: {
        port: { type: 'string' },
        'no-open': { type: 'boolean' },
        workspace: { type: 'string' },
        sessions: { type: 'string', multiple: true },
      },
    })
    const { port = null } = values
    if (port !== null && !isPort(port)) return usageError('--port takes a number from 0 to 65535.')
    const { workspace = null, sessions = [] } = values
    if (typeof workspace === 'boolean') return usageError('--workspace takes a folder.')
    if (!sessions.every((place) => typeof place === 'string')) return usageError('--sessions takes a folder or a file.')
    return {
      kind: 'flags',
      flags: {
        port: port === null ? null : Number(port),
        opensBrowser: values['no-open'] !== true,
        workspace: workspace === null ? null : resolve(folder, workspace),
        sessions: sessions.map((place) => resolve(folder, place)),
      },
    }
  } catch (thrown) {
    return usageError(thrown instanceof Error ? thrown.message : 'The flags could not be read.')
  }
}

function isPort(value: string | boolean): boolean {
  return typeof value === 'string' && /^\d{1,5}$/.test(value) && Number(value) <= 65535
}
