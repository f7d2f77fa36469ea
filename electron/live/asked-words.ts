import type { Approval } from '../../shared/approval.js'

const longest = 120

/** What a notification says of a question. The texts come from an agent: control characters are taken out. */
export function askedWords({ source, subject }: Approval): { readonly title: string; readonly text: string } {
  const who = clean(source.client)
  switch (subject.kind) {
    case 'edit': {
      const [first, ...more] = subject.files
      const what = first ? clean(first.path) : 'a file'
      return { title: `${who} wants to change ${more.length === 0 ? what : `${more.length + 1} files`}`, text: more.length === 0 ? clean(source.title) : `${what} and ${more.length} more` }
    }
    case 'command':
      return { title: `${who} wants to run a command`, text: clean(subject.command) }
    case 'plan':
      return { title: `${who} submits a plan`, text: clean(subject.markdown) }
  }
}

function clean(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}
