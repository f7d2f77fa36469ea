/** Texts of the scripted questions, as the picture of the approvals shows them. */
export const taxBefore = `import type { Totals } from '../cart/types'
import type { Cents } from '../money'

const TAX_RATE = 0.19

/** What the invoice calls the tax. */
export const taxName = 'VAT'

/** Where it is paid to. */
export const office = 'Finanzamt'

/** Tax on a net amount, rounded half up. */
export function tax(net: Cents): Cents {
  return Math.round(net * TAX_RATE)
}

export function gross(totals: Totals): Cents {
  return totals.net + totals.tax
}

/** Lines of the receipt. */
export const receiptLines = 3

/** Whether a receipt shows the tax in a line of its own. */
export const hasTaxLine = true

/** Printed beside the tax line. */
export const taxLabel = 'MwSt. 19 %'

export const isTaxFree = (o: Order) => o.country === null
`

export const taxAfter = taxBefore
  .replace("import type { Cents }", "import { rates, type Country } from './rates'\nimport type { Cents }")
  .replace('const TAX_RATE = 0.19', 'const TAX_RATE = rates.DE.standard')
  .replace('export function tax(net: Cents): Cents {\n', 'export function tax(net: Cents, to: Country): Cents {\n  const rate = rates[to]\n  if (rate == null) throw new Error(to)\n\n')
  .replace('net * TAX_RATE', 'net * rate.standard')
  .replace("export const taxLabel = 'MwSt. 19 %'", 'export const taxLabel = (to: Country) =>\n  `VAT ${rates[to].standard}`')

export const listBefore = `import { byDate } from './date'

export function list(orders: Order[]) {
  return orders.sort(byDate)
}

export function newest(orders: Order[]) {
  return orders.sort(byDate)[0]
}
`
export const listAfter = listBefore.replaceAll('orders.sort(byDate)', 'orders.toSorted(byDate)')

export const taxTest = Array.from({ length: 12 }, (_, at) => `test('tax of country ${at}', () => {\n  expect(tax(${at}00, 'DE')).toBe(${at * 19})\n})\n\n`).join('')

export const planText = `# Checkout tax by country

The rate is a constant today. It becomes a table, and the country comes from the order.

1. Add \`src/checkout/rates.ts\` with the standard and the reduced rate of each country
2. Let \`tax()\` take the country; **unknown countries throw**
3. Print the rate of the country on the receipt

| file | what |
| --- | --- |
| \`rates.ts\` | new, 27 countries |
| \`tax.ts\` | takes a country |
| \`receipt/render.ts\` | label with the rate |

- [ ] the old constant goes
- [x] no new dependency

See [the list](https://example.org/rates) <script>alert(1)</script>
`

/** A file of so many lines, each of them rewritten; scattered, every tenth of them in a hunk of its own. */
export function rewritten(lines: number, isScattered: boolean): { readonly before: string; readonly after: string } {
  const line = (at: number, word: string): string => `export const ${word}${at} = { index: ${at}, name: '${word} ${at % 97}', ratio: ${(at * 7919) % 1009} }\n`
  const texts = (word: (at: number) => string): string => Array.from({ length: lines }, (_, at) => line(at, word(at))).join('')
  return { before: texts(() => 'old'), after: texts((at) => ((isScattered ? at % 10 !== 3 : at % 20 === 0) ? 'old' : 'fresh')) }
}
