// Real pipes for the output of a command. Node gives its children sockets, which Linux does not open by name: in a command,
// `> /dev/stderr` and `tee /dev/stderr` would fail.

import { execFile } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

/** Both outputs: the ends that a child gets as its descriptors, and those that are read here. */
export interface OutputPipes {
  readonly forChild: readonly [stdout: number, stderr: number]
  readonly stdout: Readable
  readonly stderr: Readable
  /** How the system calls both in `/proc`, up to what follows: it tells who holds them open. */
  readonly path: string
  /** Closes the child's ends here; to be called once it has its own. */
  release(): void
}

const run = promisify(execFile)

/** Opens two pipes, or returns `null` where sockets do as well or pipes cannot be made. */
export async function openOutputPipes(): Promise<OutputPipes | null> {
  if (process.platform !== 'linux') return null
  const opened: number[] = []
  let folder: string | null = null
  try {
    folder = mkdtempSync(join(tmpdir(), 'overturn-run-'))
    const names = [join(folder, 'stdout'), join(folder, 'stderr')] as const
    await run('mkfifo', ['-m', '600', ...names])
    const open = (name: string, flags: number): number => {
      const file = openSync(name, flags)
      opened.push(file)
      return file
    }
    // The reading end first: opening one without the other would wait for it.
    const readers = names.map((name) => open(name, constants.O_RDONLY | constants.O_NONBLOCK))
    const forChild = [open(names[0], constants.O_WRONLY), open(names[1], constants.O_WRONLY)] as const
    const [stdout, stderr] = readers.map((fd) => new Socket({ fd, readable: true, writable: false }))
    if (!stdout || !stderr) return null
    return { forChild, stdout, stderr, path: folder, release: () => forChild.forEach((file) => closeSync(file)) }
  } catch {
    for (const file of opened) closeSync(file)
    return null
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
}
