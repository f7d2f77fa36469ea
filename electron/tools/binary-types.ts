/** First bytes (as Latin-1 text, at an offset) by which a kind of file is known. */
const marks: readonly (readonly [type: string, offset: number, mark: string])[] = [
  ['PNG image', 0, '\x89PNG\r\n\x1a\n'],
  ['JPEG image', 0, '\xff\xd8\xff'],
  ['GIF image', 0, 'GIF8'],
  ['WebP image', 8, 'WEBP'],
  ['TIFF image', 0, 'II*\0'],
  ['TIFF image', 0, 'MM\0*'],
  ['BMP image', 0, 'BM'],
  ['Windows icon', 0, '\0\0\x01\0'],
  ['PDF document', 0, '%PDF-'],
  ['ZIP archive (or a document, package or program in that form)', 0, 'PK\x03\x04'],
  ['empty ZIP archive', 0, 'PK\x05\x06'],
  ['gzip data', 0, '\x1f\x8b'],
  ['bzip2 data', 0, 'BZh'],
  ['xz data', 0, '\xfd7zXZ\0'],
  ['Zstandard data', 0, '\x28\xb5\x2f\xfd'],
  ['7-Zip archive', 0, '7z\xbc\xaf\x27\x1c'],
  ['tar archive', 257, 'ustar'],
  ['ELF program or library', 0, '\x7fELF'],
  ['Windows program or library', 0, 'MZ'],
  ['macOS program or library', 0, '\xcf\xfa\xed\xfe'],
  ['Java class or macOS universal program', 0, '\xca\xfe\xba\xbe'],
  ['WebAssembly module', 0, '\0asm'],
  ['static library', 0, '!<arch>\n'],
  ['SQLite database', 0, 'SQLite format 3\0'],
  ['WOFF font', 0, 'wOFF'],
  ['WOFF2 font', 0, 'wOF2'],
  ['TrueType font', 0, '\0\x01\0\0'],
  ['OpenType font', 0, 'OTTO'],
  ['MP4 or QuickTime media', 4, 'ftyp'],
  ['Ogg media', 0, 'OggS'],
  ['MP3 audio', 0, 'ID3'],
  ['WAVE audio', 8, 'WAVE'],
  ['git packfile', 0, 'PACK'],
]

/** What the bytes of a binary file look like by their beginning; `null` when they look like nothing in the table. */
export function guessType(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 300)).toString('latin1')
  return marks.find(([, offset, mark]) => start.startsWith(mark, offset))?.[0] ?? null
}
