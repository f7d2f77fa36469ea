import { editor } from 'monaco-editor/editor/editor.api'

/** Colours that the theme takes from the page's custom properties. */
const names = [
  'panel', 'sunken', 'hover', 'line', 'line-2', 'text', 'text-2', 'text-3', 'accent', 'add', 'add-bg', 'add-word', 'del', 'del-bg',
  'del-word', 'hatch', 'mark', 'con-bg', 'con-line', 'syn-key', 'syn-str', 'syn-com', 'syn-typ', 'syn-num',
] as const

type Colour = (typeof names)[number]

/** Defines the editor's theme from the page's colours and puts it on, now and whenever the page's theme changes. */
export function followPageTheme(): void {
  applyTheme()
  new MutationObserver(applyTheme).observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class'] })
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', applyTheme)
}

function applyTheme(): void {
  const style = getComputedStyle(document.documentElement)
  const isDark = style.colorScheme === 'dark'
  const read = (name: Colour): string => longHex(style.getPropertyValue(`--${name}`).trim())
  const colour = Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Colour, string>
  const name = isDark ? 'overturn-dark' : 'overturn-light'
  editor.defineTheme(name, { base: isDark ? 'vs-dark' : 'vs', inherit: true, rules: tokenRules(colour), colors: editorColours(colour) })
  editor.setTheme(name)
}

function tokenRules(colour: Record<Colour, string>): editor.ITokenThemeRule[] {
  const rule = (token: string, name: Colour, fontStyle?: string): editor.ITokenThemeRule => ({ token, foreground: colour[name].slice(1), fontStyle })
  const plain = ['', 'delimiter', 'operator', 'identifier', 'variable', 'attribute.name', 'metatag', 'predefined']
  const keywords = ['keyword', 'tag', 'constant.language', 'key', 'meta.scss', 'annotation', 'keyword.flow']
  const strings = ['string', 'string.key.json', 'string.value.json', 'regexp', 'attribute.value', 'string.escape', 'string.yaml']
  const types = ['type', 'type.identifier', 'namespace', 'class', 'attribute.name.html', 'attribute.name.css']
  const numbers = ['number', 'constant', 'number.hex', 'attribute.value.number', 'attribute.value.unit']
  return [
    ...plain.map((token) => rule(token, 'text')),
    ...keywords.map((token) => rule(token, 'syn-key')),
    ...strings.map((token) => rule(token, 'syn-str')),
    ...types.map((token) => rule(token, 'syn-typ')),
    ...numbers.map((token) => rule(token, 'syn-num')),
    rule('comment', 'syn-com', 'italic'),
  ]
}

function editorColours(colour: Record<Colour, string>): editor.IColors {
  const clear = '#00000000'
  return {
    'editor.background': colour.panel,
    'editorGutter.background': colour.panel,
    'editor.foreground': colour.text,
    'editorLineNumber.foreground': colour['text-3'],
    'editorLineNumber.activeForeground': colour.text,
    'editor.selectionBackground': `${colour.accent}40`,
    'editor.inactiveSelectionBackground': `${colour.accent}26`,
    'editor.lineHighlightBorder': clear,
    'editorCursor.foreground': colour.accent,
    focusBorder: colour.accent,
    'editorWidget.background': colour.panel,
    'editorWidget.border': colour['line-2'],
    'editorHoverWidget.background': colour.panel,
    'editorHoverWidget.border': colour['line-2'],
    'editorUnicodeHighlight.border': colour['con-line'],
    'editorUnicodeHighlight.background': colour['con-bg'],
    'editorWhitespace.foreground': colour.mark,
    'scrollbar.shadow': clear,
    'scrollbarSlider.background': `${colour.mark}55`,
    'scrollbarSlider.hoverBackground': `${colour.mark}88`,
    'scrollbarSlider.activeBackground': `${colour.mark}aa`,
    'diffEditor.border': colour.line,
    'diffEditor.insertedLineBackground': colour['add-bg'],
    'diffEditor.removedLineBackground': colour['del-bg'],
    'diffEditor.insertedTextBackground': colour['add-word'],
    'diffEditor.removedTextBackground': colour['del-word'],
    'diffEditorGutter.insertedLineBackground': colour['add-bg'],
    'diffEditorGutter.removedLineBackground': colour['del-bg'],
    'diffEditor.diagonalFill': colour.hatch,
    'diffEditorOverview.insertedForeground': colour.add,
    'diffEditorOverview.removedForeground': colour.del,
    'diffEditor.unchangedRegionBackground': colour.sunken,
    'diffEditor.unchangedRegionForeground': colour['text-3'],
    'diffEditor.unchangedRegionShadow': clear,
    'diffEditor.unchangedCodeBackground': clear,
  }
}

/** `#fff` as `#ffffff`: a bundler may shorten colours, and the editor takes the long form only. */
export function longHex(colour: string): string {
  return /^#[0-9a-f]{3}$/i.test(colour) ? colour.replace(/[0-9a-f]/gi, '$&$&') : colour
}
