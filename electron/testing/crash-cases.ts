import type { FileCase, TestContent } from './temp-history.js'

/** A rewind with one file of each kind, small, since every step of it is tried. */
export const crashCases: Readonly<Record<string, FileCase>> = {
  'edited.ts': { base: 'robot\n', target: { text: 'old\n', mode: 0o755 } },
  'gone/deep/back.ts': { base: null, target: 'back\n' },
  'link': { base: { link: 'edited.ts' }, target: 'file\n' },
  'made/deep/new.bin': { base: { bytes: Buffer.from([0, 1, 2]) }, target: null },
  'mode.sh': { base: 'x\n', target: { text: 'x\n', mode: 0o700 } },
  'typed.ts': { base: 'robot\nm\nx\ny\n', target: 'old\nm\nx\ny\n' },
}

export const crashFiles: Readonly<Record<string, TestContent>> = {
  'edited.ts': 'robot\n',
  link: { link: 'edited.ts' },
  'made/deep/new.bin': { bytes: Buffer.from([0, 1, 2]) },
  'mode.sh': 'x\n',
  'typed.ts': 'robot\nm\nx\ny\nmine\n',
  'bystander.ts': 'mine\n',
}
