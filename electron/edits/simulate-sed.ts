import { recognise } from './sed-command.js'
import { createSedRunner } from './sed-runner.js'
// Built into one file, this module is its own worker.
import './sed-worker.js'

export type SimulatedSed =
  { readonly accepted: true; readonly output: Uint8Array } | { readonly accepted: false; readonly reason: string }

const runner = createSedRunner(new URL(import.meta.url))

/**
 * What a shell command makes of the one file that exists, if it is a `sed -i` whose effect is certain to the byte.
 *
 * Shape: `file` is the name of that file as seen from where the command runs, `input` its bytes before, `locale` the name
 * of the locale. Answers within 3 s. For programs outside the app; must be built into one file before it can run.
 */
export async function simulateSed(
  command: string,
  input: Uint8Array,
  { locale, file, signal }: { readonly locale: string; readonly file: string; readonly signal?: AbortSignal },
): Promise<SimulatedSed> {
  const recognised = recognise(command)
  if (!recognised.simulated) return { accepted: false, reason: recognised.reason }
  if (withoutDots(recognised.path) !== withoutDots(file)) return { accepted: false, reason: 'it names another file' }
  const edit = await runner.apply(input, recognised, { locale, signal })
  return edit.kind === 'edited' ? { accepted: true, output: edit.bytes } : { accepted: false, reason: edit.reason }
}

/** `./a//b` names the same file as `a/b`. A `..` stays: what it leads through may not exist. */
function withoutDots(path: string): string {
  return path.replace(/\/(\.?\/)+/g, '/').replace(/^(\.\/)+/, '')
}
