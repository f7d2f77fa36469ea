import { randomBytes } from 'node:crypto'
import { isEqualSecret, newSecret } from '../base/secrets.js'

/**
 * Decides who may talk to the web host. A start token admits one browser once, which gets a cookie for it.
 *
 * Each host has its own cookie name: cookies ignore the port, so two hosts on one machine share a jar.
 */
export class Admission {
  readonly #cookieName = `overturn-${randomBytes(4).toString('hex')}`
  readonly #cookieValue = newSecret()
  #startToken: string | null = null

  /** A secret that `useStartToken` takes once; the one before it becomes void. */
  newStartToken(): string {
    this.#startToken = newSecret()
    return this.#startToken
  }

  /** Uses the start token up and returns the `Set-Cookie` header it buys, or `null` when it is unknown or used. */
  useStartToken(given: string): string | null {
    if (this.#startToken === null || !isEqualSecret(this.#startToken, given)) return null
    this.#startToken = null
    return `${this.#cookieName}=${this.#cookieValue}; Path=/; HttpOnly; SameSite=Strict`
  }

  /** Whether a `Cookie` header holds this host's cookie. */
  hasCookie(header: string | undefined): boolean {
    const given = (header ?? '').split(';').map((pair) => pair.trim())
    const prefix = `${this.#cookieName}=`
    return given.some((pair) => pair.startsWith(prefix) && isEqualSecret(this.#cookieValue, pair.slice(prefix.length)))
  }
}

/** Whether `Origin` is the page that this host serves under the address in `Host`. */
export function isOwnOrigin(origin: string | undefined, host: string): boolean {
  return origin === `http://${host}`
}
