import { describe, expect, it } from 'vitest'
import { placesIn } from './json-places.js'

describe('placesIn', () => {
  it.each([
    ['{\n  "a": 1,\n}', 3],
    ['{\n  "a": ,\n}', 2],
    ['{\n  "a": 1\n', 3],
    ['[1,\n2\n3]', 3],
    ['{"a": "x\ny"}', 1],
    ['\n\nnope', 3],
    ['{}\n{}', 2],
    ['', 1],
    ['\n[TRUE]', 2],
  ])('finds the first fault of %j in line %i', (text, line) => {
    expect(placesIn(text).faultLine).toBe(line)
  })

  it('finds no fault where JSON.parse finds none', () => {
    const good = ['0', '-1.5e+3', '"\\u00e9\\n"', '[]', ' [ true , null ] ', '{"a":{"b":[1,{"c":""}]}}']
    expect(good.map((text) => [JSON.parse(text) === undefined, placesIn(text).faultLine])).toEqual(good.map(() => [false, null]))
  })

  it('finds the line of a value, or of what is nearest around it', () => {
    const { lineOf } = placesIn('{\n  "list": [\n    "list",\n    {"x": 1}\n  ],\n  "map": {\n    "list": 2 }\n}')
    expect([lineOf(['list', 1, 'x']), lineOf(['map', 'list']), lineOf(['map', 'gone', 'deep']), lineOf(['gone'])]).toEqual([4, 7, 6, 1])
  })
})
