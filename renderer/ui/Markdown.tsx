import { memo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import './markdown.css'

/** Above this a text is shown as it is: its layout would cost more than it helps. */
const longest = 200_000

// Nothing that an agent wrote may lead anywhere or load anything: links and images are words with their address.
const inert: Components = {
  a: ({ children, href }) => (
    <span className="md-link">
      {children}
      {href && <span className="t3"> ({href})</span>}
    </span>
  ),
  img: ({ alt, src }) => (
    <span className="md-link">
      [image{alt ? `: ${alt}` : ''}]{typeof src === 'string' && src !== '' && <span className="t3"> ({src})</span>}
    </span>
  ),
  input: ({ checked }) => <span aria-hidden="true">{checked ? '☑ ' : '☐ '}</span>,
}

const plugins = [remarkGfm]

/** A text of an agent as Markdown, inert. Raw HTML in it stays text. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  if (text.length > longest) return <pre className="plain">{text}</pre>
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={plugins} components={inert} urlTransform={(address) => address}>
        {text}
      </ReactMarkdown>
    </div>
  )
})
