import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits as text that is safe in an address and in a header. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares in a time that depends on neither value; hashing makes the lengths equal. */
export function isEqualSecret(known: string, given: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(known), digest(given))
}
