import { useState } from 'react'
import { setConnecting } from '../state/actions.js'
import { clientName } from '../ui/agents.js'
import { Icon } from '../ui/icons.js'
import { Button, Segments } from '../ui/parts.js'
import { visibleText } from '../ui/visible-text.js'
import { folderName } from '../ui/words.js'
import { copyText } from './copy-text.js'
import type { RecipeView } from './recipe-view.js'

interface RecipeProps {
  readonly view: RecipeView
  readonly workspace: string
  readonly transport: 'stdio' | 'http'
  readonly httpUrl: string | null
  readonly isShort: boolean
}

/** The way of one agent: what to run or to write, what to set, and whether it has come. */
export function Recipe({ view, workspace, transport, httpUrl, isShort }: RecipeProps) {
  const { command, config, file, advice } = view
  return (
    <div className="recipe" role="tabpanel" aria-label={view.name}>
      <div className="row" hidden={isShort}>
        <span className="md t2 grow">{command === null ? 'Written by hand into its settings:' : 'Run this once, in a terminal:'}</span>
        <Segments
          label="How it connects"
          value={transport}
          options={[
            { value: 'stdio', label: 'stdio', title: 'The agent starts a small program that leads here' },
            { value: 'http', label: 'HTTP', title: httpUrl === null ? 'Over this computer only' : `Over this computer only: ${httpUrl}` },
          ]}
          onChange={(next) => setConnecting({ transport: next })}
        />
      </div>
      {command !== null && (
        <div className="copy-line">
          <code className="mono grow">
            <span className="t3" aria-hidden="true">
              ${' '}
            </span>
            {command}
          </code>
          <CopyButton text={command} label="Copy the command" keys="C" />
        </div>
      )}
      {(!isShort || command === null) && <details className="config" open={command === null}>
        <summary className="md">
          {command === null ? 'Into ' : 'What it writes into '}
          <code className="mono">{file}</code>
        </summary>
        <div className="copy-line tall">
          <pre className="mono grow scroll" tabIndex={0}>
            {config}
          </pre>
          <CopyButton text={config} label="Copy the settings" keys={command === null ? 'C' : null} />
        </div>
      </details>}
      {!isShort && advice.length > 0 && (
        <ul className="advice md t2">
          {advice.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <Sign view={view} workspace={workspace} />
    </div>
  )
}

function Sign({ view: { sign, name }, workspace }: { readonly view: RecipeView; readonly workspace: string }) {
  if (sign.kind === 'waiting') {
    return (
      <div className="connect-sign md t2" role="status">
        <span className="wait" />
        Waiting for {name} to connect from {visibleText(folderName(workspace))}. This line turns to “Connected” by itself.
      </div>
    )
  }
  return (
    <div className="connect-sign md" role="status">
      <Icon name="check" />
      <b className="b">Connected.</b> {clientName(sign.client)}
      {sign.version !== null && ` ${visibleText(sign.version)}`} {sign.isHere ? 'works through Overturn.' : 'works through Overturn in another workspace.'}
    </div>
  )
}

function CopyButton({ text, label, keys }: { readonly text: string; readonly label: string; readonly keys: string | null }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <Button
      size="small"
      icon={isCopied ? 'check' : 'copy'}
      keys={isCopied ? null : keys}
      aria-label={isCopied ? 'Copied' : label}
      data-copy={keys === 'C' ? '' : undefined}
      onClick={() => void copyText(text).then((isDone) => setCopied(isDone))}
    >
      {isCopied ? 'Copied' : 'Copy'}
    </Button>
  )
}
