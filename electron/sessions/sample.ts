import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ReviewError } from '../../shared/errors.js'

export interface Sample {
  /** Absolute path of the copied log. */
  readonly log: string
  /** The folder that the sample's agent worked in, as it left it. */
  readonly workspace: string
}

/**
 * Copies the bundled sample session into the data folder, log, backups and files, so that it can be rewound like any other.
 * A copy that is there already stays as the person left it.
 * Errors: FOLDER_NOT_FOUND when the program was built without its sample.
 */
export async function openSample(bundled: string, dataFolder: string): Promise<Sample> {
  const copy = join(dataFolder, 'sample')
  const workspace = join(copy, 'shop')
  if (!(await isFolder(bundled))) throw new ReviewError('FOLDER_NOT_FOUND', 'This build comes without the sample session. Open one of your own.')
  if (!(await isFolder(workspace))) {
    await mkdir(copy, { recursive: true, mode: 0o700 })
    await copyFolder(join(bundled, 'home'), copy)
    // The folder of files comes last and at once, so that a copy that was cut off is made again.
    const files = join(copy, 'shop.new')
    await rm(files, { recursive: true, force: true })
    await copyFolder(join(bundled, 'trees', 'final'), files)
    await rename(files, workspace)
  }
  const projects = join(copy, '.qwen', 'projects')
  const [project = ''] = await readdir(projects)
  const [log = ''] = await readdir(join(projects, project, 'chats'))
  return { log: join(projects, project, 'chats', log), workspace }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then((stats) => stats.isDirectory(), () => false)
}

/** Node's own `cp` cannot read from the archive that the packed app lies in; these calls can. */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyFolder(source, target)
    else await writeFile(target, await readFile(source))
  }
}
