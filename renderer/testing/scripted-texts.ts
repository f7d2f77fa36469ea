/** Texts of the scripted session, as the pictures of the window show them. */
export const totalBefore = `import { format, toCents } from '../lib/currency'
import type { Lines, Totals } from './types'
const TAX_RATE = 0.19

/** Sum of all lines, before discounts. */
export function subtotal(lines: Lines): number {
  let sum = 0
  for (const line of lines) {
    sum += toCents(line.price) * line.quantity
  }
  return sum
}

const groups = new Map<string, Lines>()

/** Lines that belong together on a receipt. */
export function groupOf(name: string): Lines {
  const known = groups.get(name)
  if (known) return known
  const fresh: Lines = []
  groups.set(name, fresh)
  return fresh
}
export function total(lines: Lines, off = 0): Totals {
  const net = subtotal(lines)
  const reduced = net - Math.round(net * off)
  const tax = Math.round(reduced * TAX_RATE)
  return { net, tax, gross: reduced + tax }
}

export function label(totals: Totals): string {
  return format(totals.gross)
}

export function isEmpty(lines: Lines): boolean {
  return lines.length === 0
}
`

export const totalAfter = `import { formatMoney, Money } from '../money'
import type { Lines, Totals } from './types'
const TAX_RATE = 0.19

/** Sum of all lines, before discounts. */
export function subtotal(lines: Lines): Money {
  return lines.reduce(
    (sum, line) =>
      sum.plus(line.price.times(line.quantity)),
    Money.zero,
  )
}

const groups = new Map<string, Lines>()

/** Lines that belong together on a receipt. */
export function groupOf(name: string): Lines {
  const known = groups.get(name)
  if (known) return known
  const fresh: Lines = []
  groups.set(name, fresh)
  return fresh
}
export function total(lines: Lines, off = 0): Totals {
  const net = subtotal(lines)
  const reduced = net.minus(net.times(off))
  const tax = reduced.times(TAX_RATE)
  return { net, tax, gross: reduced.plus(tax) }
}

/** Printed under the last line. */
export function label(totals: Totals): string {
  return formatMoney(totals.gross)
}

export function isEmpty(lines: Lines): boolean {
  const filled = lines.filter(hasQuantity)
  return filled.length === 0
}
`

export const money = `/** An amount in whole cents. */
export class Money {
  static readonly zero = new Money(0)

  constructor(readonly cents: number) {
    if (!Number.isSafeInteger(cents)) throw new RangeError('Not whole cents')
  }

  plus(other: Money): Money {
    return new Money(this.cents + other.cents)
  }

  minus(other: Money): Money {
    return new Money(this.cents - other.cents)
  }

  times(factor: number): Money {
    return new Money(Math.round(this.cents * factor))
  }
}

export function formatMoney({ cents }: Money): string {
  const sign = cents < 0 ? '-' : ''
  const whole = Math.floor(Math.abs(cents) / 100)
  const rest = String(Math.abs(cents) % 100).padStart(2, '0')
  return \`\${sign}\${whole}.\${rest}\`
}
`

export const printerBefore = '[printer]\r\nname=EPSON TM-T20\r\nwidth=32\r\ncut=full\r\n'
export const printerAfter = '[printer]\r\nname=EPSON TM-T20\r\nwidth=42\r\ncut=partial\r\nlogo=assets/logo@2x.png\r\n\r\n[currency]\r\nsign=EUR\r\nplace=after'

export const currency = Array.from({ length: 38 }, (_, at) => `export const rate${at} = ${at / 10}\n`).join('')

export const conflictTarget = `import { format } from '../lib/currency'
import type { Lines } from './types'

const TAX_RATE = 0.19

export function subtotal(lines: Lines) {
  let sum = 0
  for (const line of lines) sum += line.price
  return sum
}

/** Net, tax and both together. */

export function total(lines: Lines) {
  const net = subtotal(lines)
  const tax = Math.round(net * TAX_RATE)
  return { net, tax, gross: net + tax }
}
`

export const conflictBase = `${totalAfter.split('export function total(')[0]}export function total(lines, off = 0) {
  const net = subtotal(lines)
  const reduced = net.minus(net.times(off))
  const tax = reduced.times(TAX_RATE)
  return withTax(reduced, tax)
}
`

export const conflictDisk = conflictBase.replace('reduced.times(TAX_RATE)', 'reduced.times(rate(land))')
export const conflictResult = conflictTarget.replace('  const tax = Math.round(net * TAX_RATE)\n', '')
