import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** A file of the built renderer with the headers it must be served with. */
export interface RendererFile {
  readonly bytes: Buffer<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

// No `%`, no `\`, and no segment starts with a dot: such a path cannot leave the folder.
const safePath = /^(\/[A-Za-z0-9_-][A-Za-z0-9_.-]*)+$/

/**
 * The file of the renderer that a request path names, or `null` when there is none.
 *
 * Shape: `folder` is the built renderer; `path` is the undecoded path of the address, `/` for the page itself;
 * `connectSource` is added to what the page may connect to.
 */
export async function readRendererFile(folder: string, path: string, connectSource: string): Promise<RendererFile | null> {
  const name = path === '/' ? '/index.html' : path
  const contentType = contentTypes[extname(name)]
  if (!safePath.test(name) || contentType === undefined) return null
  const bytes = await readFile(join(folder, name)).catch(() => null)
  if (bytes === null) return null
  // Vite puts the content's hash in the names below assets/, so those never change.
  const isHashed = name.startsWith('/assets/')
  return {
    bytes,
    headers: {
      ...securityHeaders(connectSource),
      'Content-Type': contentType,
      'Cache-Control': isHashed ? 'private, max-age=31536000, immutable' : 'no-store',
    },
  }
}

/** Headers of every answer. Styles are the one loose end: the editor writes `<style>` elements and style attributes. */
export function securityHeaders(connectSource: string): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "worker-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ${connectSource}`.trim(),
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "object-src 'none'",
      "require-trusted-types-for 'script'",
    ].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}
