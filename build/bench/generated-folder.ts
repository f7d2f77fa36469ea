import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { normal, randomFrom, textSource } from './generated-text.js'

const filesInFolder = 18
const foldersInPackage = 12

/** Writes a tree of source-like files of very different sizes. Returns their paths, relative to it. */
export function writeFolder(folder: string, count: number, bytes: number): readonly string[] {
  const random = randomFrom(1)
  const text = textSource(random)
  const weights = Array.from({ length: count }, () => Math.exp(1.1 * normal(random)))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight, at) => {
    const place = Math.floor(at / filesInFolder)
    const parent = `packages/p${Math.floor(place / foldersInPackage)}/src/part-${place % foldersInPackage}`
    if (at % filesInFolder === 0) mkdirSync(join(folder, parent), { recursive: true })
    const path = `${parent}/file-${at}.ts`
    writeFileSync(join(folder, path), `// ${path}\n${text(Math.max(80, (weight / sum) * bytes))}`)
    return path
  })
}
