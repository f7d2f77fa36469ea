// Parts of the editor that its own declarations leave out. The diff editor takes its differences from a service, and
// wants them as instances of these classes.

declare module 'monaco-editor/editor/standalone/browser/standaloneServices' {
  export const StandaloneServices: {
    /** Takes effect once, before the first editor; `overrides` replace services by their name. */
    initialize(overrides: Readonly<Record<string, object>>): void
  }
}

declare module 'monaco-editor/editor/common/core/ranges/lineRange' {
  /** Lines from `startLineNumber` up to, not including, `endLineNumberExclusive`; 1-based. */
  export class LineRange {
    constructor(startLineNumber: number, endLineNumberExclusive: number)
  }
}

declare module 'monaco-editor/editor/common/diff/rangeMapping' {
  import type { Range } from 'monaco-editor/editor/editor.api'
  import type { LineRange } from 'monaco-editor/editor/common/core/ranges/lineRange'

  export class RangeMapping {
    constructor(originalRange: Range, modifiedRange: Range)
  }
  export class DetailedLineRangeMapping {
    constructor(original: LineRange, modified: LineRange, innerChanges: readonly RangeMapping[] | undefined)
  }
}
