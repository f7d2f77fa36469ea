import { expect, it } from 'vitest'
import { progressLine } from './progress-line.js'

function setUp(isTTY: boolean) {
  let shown = ''
  let time = 0
  const line = progressLine({ out: (text) => (shown += `out ${String(text)}`), note: (text) => (shown += `note ${text}`) }, { isTTY, columns: 20, write: (text) => (shown += text) }, () => time)
  return { line, shown: () => shown, wait: (ms: number) => (time += ms) }
}

it('draws over itself, seldom, no wider than the screen, and makes room for what is said', () => {
  const { line, shown, wait } = setUp(true)
  line.progress({ done: 1, total: 12, label: 'Searching' })
  line.progress({ done: 2, total: 12, label: 'Searching' })
  wait(100)
  line.progress({ done: 3, total: 12_000_000, label: 'Searching' })
  line.out('hit\n')
  line.note('done\n')
  expect(shown()).toBe('\r\x1b[KSearching: 1 of 12\r\x1b[K3 of 12000000\r\x1b[Kout hit\nnote done\n')
})

it('is not drawn into a pipe', () => {
  const { line, shown } = setUp(false)
  line.progress({ done: 1, total: 12, label: 'Searching' })
  line.end()
  expect(shown()).toBe('')
})
