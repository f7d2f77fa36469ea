// The bundler makes these modules; no rule can see what they export.
// oxlint-disable import/default
import diffWorkerUrl from './diff-worker.ts?worker&url'
import editorWorkerUrl from 'monaco-editor/editor/editor.worker?worker&url'
// oxlint-enable import/default

/** What the page needs of Trusted Types; absent in browsers that do not know them. */
interface ScriptPolicies {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { readonly createScriptURL: (url: string) => string }): { createScriptURL(url: string): string }
  }
}

const addresses: readonly string[] = [diffWorkerUrl, editorWorkerUrl]

const page: ScriptPolicies & typeof globalThis = globalThis

/** Lets through the addresses of our own two workers and nothing else. */
const policy = page.trustedTypes?.createPolicy('overturn-workers', {
  createScriptURL: (url) => {
    if (!addresses.includes(url)) throw new TypeError('This is no worker of Overturn.')
    return url
  },
})

export function startDiffWorker(): Worker {
  return start(diffWorkerUrl)
}

export function startEditorWorker(): Worker {
  return start(editorWorkerUrl)
}

function start(url: string): Worker {
  return new Worker(policy?.createScriptURL(url) ?? url, { type: 'module' })
}
