import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Configuration } from 'electron-builder'
import { describe, expect, it } from 'vitest'
import { config } from './electron-builder.config.js'

interface Validator {
  validateConfiguration(config: Configuration, debugLogger: { readonly isEnabled: boolean; add(): void }): Promise<void>
}

const load = createRequire(import.meta.url)
const { validateConfiguration } = load('app-builder-lib/out/util/config/config.js') as Validator
const root = fileURLToPath(new URL('..', import.meta.url))

async function problemOf(candidate: object): Promise<string | null> {
  return validateConfiguration(candidate, { isEnabled: false, add: () => undefined }).then(
    () => null,
    (thrown: unknown) => String(thrown),
  )
}

describe('electron-builder configuration', () => {
  it('is valid for electron-builder', async () => {
    expect(await problemOf(config)).toBeNull()
  })

  it('would be refused with an unknown field', async () => {
    expect(await problemOf({ ...config, colour: 'blue' })).toContain('colour')
  })

  it('names an icon that exists', () => {
    const icons = [config.linux?.icon, config.mac?.icon, config.win?.icon]
    expect(icons.map((icon) => typeof icon === 'string' && existsSync(`${root}/${icon}`))).toEqual([true, true, true])
  })

  it('lets the packed executable run our app alone', () => {
    expect(config.electronFuses).toMatchObject({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      onlyLoadAppFromAsar: true,
    })
  })

  it('ships the search program beside the archive, where it can be started', () => {
    const program = 'node_modules/@vscode/ripgrep-*/**'
    expect([config.files, config.asarUnpack]).toEqual([expect.arrayContaining(['!node_modules/**', program]), [program]])
  })
})
