import { useEffect, useState } from 'react'
import { ReviewError } from '../../shared/errors.js'
import { toReviewError, type Loadable } from '../state/loadable.js'
import type * as MonacoModule from './monaco.js'

type Monaco = typeof MonacoModule

let loaded: Promise<Monaco> | null = null

/** The editor, fetched once with the first text that needs it. A fetch that failed is tried again by the next one. */
function loadMonaco(): Promise<Monaco> {
  loaded ??= import('./monaco.js').catch((cause: unknown) => {
    loaded = null
    throw new ReviewError('INTERNAL', 'The editor could not be loaded. Choose the file again, or reload the window.', { cause })
  })
  return loaded
}

export function useMonaco(): Loadable<Monaco> {
  const [monaco, setMonaco] = useState<Loadable<Monaco>>({ kind: 'loading', stale: null })
  useEffect(() => {
    let isHere = true
    loadMonaco().then(
      (value) => isHere && setMonaco({ kind: 'ready', value }),
      (thrown: unknown) => isHere && setMonaco({ kind: 'error', error: toReviewError(thrown) }),
    )
    return () => {
      isHere = false
    }
  }, [])
  return monaco
}
