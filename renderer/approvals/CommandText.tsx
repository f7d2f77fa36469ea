import { Fragment } from 'react'
import { commandPieces } from './command-text.js'

/** A command as text and nothing else: operators stand out, and what would hide is told by name. */
export function CommandText({ command }: { readonly command: string }) {
  return (
    <bdi dir="ltr">
      {commandPieces(command).map(({ text, kind }, at) =>
        kind === 'plain' ? (
          <Fragment key={at}>{text}</Fragment>
        ) : (
          <span key={at} className={kind === 'operator' ? 'op' : 'hidden-sign'} title={kind === 'sign' ? 'A character that cannot be seen' : undefined}>
            {text}
          </span>
        ),
      )}
    </bdi>
  )
}
