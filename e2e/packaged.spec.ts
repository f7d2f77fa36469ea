import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listPackage } from '@electron/asar'
import { FuseState } from '@electron/fuses/dist/constants.js'
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { root } from '../build/bootstrap.cjs'
import { expect, test } from './open-app.js'
import { startPackagedApp } from './packaged-app.js'

test.describe('packed app', { tag: '@electron' }, () => {
  test('starts from its archive alone, with its fuses set, and shows the sample session', async ({ world, electron }) => {
    test.skip(electron === null, 'There is no Electron here.')
    test.skip(process.platform !== 'linux', 'The packed app is driven on Linux only.')
    if (electron === null) return
    test.setTimeout(300_000)
    const output = join(world.home, 'packed')
    await promisify(execFile)(process.execPath, [join(root, 'build', 'run.cjs'), 'pack', electron.executable, electron.version, output])
    const folder = join(output, 'linux-unpacked')
    const executable = join(folder, 'overturn')

    const shipped = listPackage(join(folder, 'resources', 'app.asar'), { isPack: false })
    expect(shipped.filter((file) => !/^[/\\](dist|package\.json|node_modules$|node_modules[/\\]@vscode($|[/\\]ripgrep))/.test(file))).toEqual([])
    const fuses = await getCurrentFuseWire(executable)
    const { RunAsNode, EnableNodeOptionsEnvironmentVariable, EnableNodeCliInspectArguments, OnlyLoadAppFromAsar } = FuseV1Options
    expect([fuses[RunAsNode], fuses[EnableNodeOptionsEnvironmentVariable], fuses[EnableNodeCliInspectArguments], fuses[OnlyLoadAppFromAsar]]).toEqual([
      FuseState.DISABLE,
      FuseState.DISABLE,
      FuseState.DISABLE,
      FuseState.ENABLE,
    ])

    const app = await startPackagedApp(executable, [], { ...world.env, ...electron.env }, 'app://overturn/')
    const button = `[...document.querySelectorAll('button')].find((one) => one.textContent.includes('Open the sample session'))`
    // Found and pressed in one step: the page may draw itself again between two.
    await app.waitFor(`(() => { const found = ${button}; found?.click(); return found !== undefined })()`)
    await app.waitFor(`document.querySelector('.monaco-diff-editor .view-line') !== null`)
    expect(app.complaints).toEqual([])
    await app.close()
  })
})
