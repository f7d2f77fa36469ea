// The editor's own code, loaded with the first diff: everything here ends up in a chunk of its own.
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import 'monaco-editor/features/bracketMatching/register'
import 'monaco-editor/features/clipboard/register'
import 'monaco-editor/features/codicon/register'
import 'monaco-editor/features/cursorUndo/register'
import 'monaco-editor/features/diffEditor/register'
import 'monaco-editor/features/find/register'
import 'monaco-editor/features/hover/register'
import 'monaco-editor/features/linesOperations/register'
import 'monaco-editor/features/longLinesHelper/register'
import 'monaco-editor/features/multicursor/register'
import 'monaco-editor/features/unicodeHighlighter/register'
import 'monaco-editor/features/wordOperations/register'
import 'monaco-editor/languages/definitions/register.all'
import { followPageTheme } from './editor-theme.js'
import { diffProviderFactory } from './diff-provider.js'
import { startEditorWorker } from './workers.js'

export { createDiffView } from './diff-view.js'
export { createHunkView } from './hunk-view.js'
export { loadColouring } from './editor-options.js'
export { createTextView } from './text-view.js'

Object.assign(globalThis, { MonacoEnvironment: { getWorker: startEditorWorker } })
// The option for a diff algorithm takes a name only; the service that makes the providers can be replaced, but only
// before the first editor.
StandaloneServices.initialize({ diffProviderFactoryService: diffProviderFactory })
followPageTheme()
