import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

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

/**
 * Whether a `Host` header names this machine, with any port: a tunnel changes the port. A page of another site that
 * made its name resolve to 127.0.0.1 sends its own name and is refused.
 */
export function isLoopbackHost(header: string | undefined): header is string {
  return header !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(header)
}

/** Whether `Origin` is the page that this host serves under the address in `Host`. */
export function isOwnOrigin(origin: string | undefined, host: string): boolean {
  return origin === `http://${host}`
}

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares in a time that depends on neither value; hashing makes the lengths equal. */
function isEqualSecret(known: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(known), digest(given))
}
