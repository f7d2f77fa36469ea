import { editor, languages, Range, Uri } from 'monaco-editor/editor/editor.api'
import type { DisplayText } from './display-text.js'

/** What every editor of the app has in common. Nothing about a text is hidden, folded or tidied. */
export const commonOptions: editor.IEditorOptions & editor.IGlobalEditorOptions = {
  fontFamily: 'var(--font-mono)',
  fontSize: 12,
  lineHeight: 19,
  fontLigatures: false,
  minimap: { enabled: false },
  folding: false,
  glyphMargin: false,
  lineNumbersMinChars: 4,
  lineDecorationsWidth: 22,
  renderLineHighlight: 'none',
  scrollBeyondLastLine: false,
  overviewRulerLanes: 0,
  hideCursorInOverviewRuler: true,
  overviewRulerBorder: false,
  scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
  stickyScroll: { enabled: false },
  guides: { indentation: false },
  occurrencesHighlight: 'off',
  selectionHighlight: false,
  links: false,
  contextmenu: false,
  matchBrackets: 'near',
  renderWhitespace: 'selection',
  renderControlCharacters: true,
  unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: true, nonBasicASCII: false, includeComments: true, includeStrings: true },
  unusualLineTerminators: 'off',
  stopRenderingLineAfter: -1,
  wordBasedSuggestions: 'off',
  quickSuggestions: false,
  automaticLayout: true,
  fixedOverflowWidgets: true,
  editContext: false,
}

/** What both diff editors have in common. Every change is found and shown, however long that takes and small it is. */
export const commonDiffOptions: editor.IDiffEditorConstructionOptions = {
  ...commonOptions,
  originalEditable: false,
  // The overview beside it shows where one is, and scrolls.
  scrollbar: { ...commonOptions.scrollbar, vertical: 'hidden' },
  ignoreTrimWhitespace: false,
  maxComputationTime: 0,
  maxFileSize: 0,
  renderIndicators: true,
  renderMarginRevertIcon: false,
  renderGutterMenu: false,
  renderOverviewRuler: false,
  accessibilityVerbose: false,
  useInlineViewWhenSpaceIsLimited: false,
  experimental: { showMoves: false, showEmptyDecorations: false, useTrueInlineView: false },
}

/** For texts that are only read: Tab goes on to the next control, and the field says that it cannot be written. */
export const readOnlyOptions: editor.IEditorOptions = { readOnly: true, domReadOnly: true, tabFocusMode: true, cursorStyle: 'line-thin' }

let nextModel = 1

/** A model whose lines are the text's own, coloured by the file's name. The caller disposes it, after its editor. */
export function createModel(text: string, path: string): editor.ITextModel {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const model = editor.createModel(text, languageOf(name), Uri.from({ scheme: 'overturn', path: `/${nextModel++}/${name}` }))
  model.setEOL(editor.EndOfLineSequence.LF)
  model.updateOptions({ bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false } })
  return model
}

/** Gets the colouring for a file's language, so that its first lines are drawn with it. */
export async function loadColouring(path: string): Promise<void> {
  await editor.colorize('', languageOf(path.slice(path.lastIndexOf('/') + 1)), {})
}

/** So many lines are coloured at once; it takes about 50 ms. */
const mostColouredLines = 3000

/** Colours the first lines of a model now, and not a little later. */
export function colourLines(model: editor.ITextModel, lines: number): void {
  const { tokenization } = model as editor.ITextModel & { readonly tokenization: { forceTokenization(line: number): void } }
  const last = Math.min(lines, mostColouredLines, model.getLineCount())
  if (last > 0 && model.getValueLengthInRange(new Range(1, 1, last, 1)) < 500_000) tokenization.forceTokenization(last)
}

/** The language for a file name; plain text where none is known. */
export function languageOf(name: string): string {
  const lower = name.toLowerCase()
  // There is no colouring of its own for JSON, and it is written in JavaScript's words.
  if (/\.(json|jsonc|json5|jsonl|webmanifest)$/.test(lower)) return 'javascript'
  const fits = (language: languages.ILanguageExtensionPoint): boolean =>
    (language.filenames ?? []).some((filename) => filename.toLowerCase() === lower) ||
    (language.extensions ?? []).some((extension) => lower.endsWith(extension.toLowerCase()))
  return languages.getLanguages().find(fits)?.id ?? 'plaintext'
}

/** What the text alone does not show: characters drawn by a sign, and a last line without an end. */
export function noteDecorations(model: editor.ITextModel, display: DisplayText): editor.IModelDeltaDecoration[] {
  const marks = display.marks.map(({ offset, name, beside }): editor.IModelDeltaDecoration => {
    const { lineNumber, column } = model.getPositionAt(offset)
    return {
      range: new Range(lineNumber, column, lineNumber, column + 1),
      options: beside ? { before: { content: beside, inlineClassName: 'character-sign' }, hoverMessage: { value: name } } : { inlineClassName: 'character-sign', hoverMessage: { value: name } },
    }
  })
  if (display.hasFinalNewline || display.lines === 0) return marks
  const end = model.getFullModelRange().getEndPosition()
  return [
    ...marks,
    {
      range: new Range(end.lineNumber, end.column, end.lineNumber, end.column),
      options: { showIfCollapsed: true, after: { content: '\u00a0\u00a0no final newline', inlineClassName: 'line-note' } },
    },
  ]
}
