// Kills this process, as `kill -9` does, right before its disk call number KILL_AT; a write is cut in half first. With SWAP (two
// paths, with a colon between) the folder at the first path is moved aside instead, and a link to the second put in its place. Must
// be imported before all code that writes. Without KILL_AT the calls are only counted.

import fs from 'node:fs'

const killAt = Number(process.env['KILL_AT'] ?? 0)
let calls = 0
const { renameSync: rename, symlinkSync: symlink } = fs

export function countedCalls(): number {
  return calls
}

type AnyFunction = (...args: readonly unknown[]) => unknown

function watch(owner: object, name: string): void {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== 'function') throw new Error(`There is no ${name} to watch.`)
  const call: AnyFunction = (...args) => {
    if (++calls === killAt) {
      const [folder, target] = (process.env['SWAP'] ?? '').split(':')
      if (folder && target) {
        rename(folder, `${folder}-moved`)
        symlink(target, folder)
        return Reflect.apply(original, owner, args) as unknown
      }
      if (name === 'writeSync') cutInHalf(original as AnyFunction, args)
      process.kill(process.pid, 'SIGKILL')
    }
    return Reflect.apply(original, owner, args) as unknown
  }
  Reflect.set(owner, name, call)
}

function cutInHalf(write: AnyFunction, [file, content, from, size]: readonly unknown[]): void {
  if (content instanceof Uint8Array && typeof from === 'number' && typeof size === 'number') write(file, content, from, Math.floor(size / 2))
  else if (typeof content === 'string') write(file, content.slice(0, content.length / 2))
}

for (const name of ['linkSync', 'writeFileSync', 'writeSync', 'write', 'fdatasync', 'fsync', 'rename', 'renameSync', 'unlink', 'symlink', 'rmdir', 'mkdirSync', 'fchmodSync', 'rmSync', 'open']) watch(fs, name)
for (const name of ['rm', 'chmod', 'utimes']) watch(fs.promises, name)
