/**
 * Whether a `Host` header names this machine, with any port: a tunnel changes the port. A page of another site that
 * made its name resolve to 127.0.0.1 sends its own name and is refused.
 */
export function isLoopbackHost(header: string | undefined): header is string {
  return header !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(header)
}
