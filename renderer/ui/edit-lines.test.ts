import { expect, it } from 'vitest'
import { editLines } from './edit-lines.js'

it('are those of the diff where one was recorded, else made of the texts', () => {
  expect([
    editLines({ diff: null, change: { kind: 'replace', oldText: 'a\nb\n', newText: 'c', all: false } }).map(({ text }) => text),
    editLines({ diff: '--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n same\n', change: { kind: 'write', content: 'b' } }),
  ]).toEqual([
    ['− a', '− b', '+ c'],
    [
      { look: 'place', text: '@@ -1 +1 @@' },
      { look: 'removed', text: '− a' },
      { look: 'added', text: '+ b' },
      { look: 'same', text: '  same' },
    ],
  ])
})
