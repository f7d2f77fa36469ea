import type { Configuration } from 'electron-builder'

/**
 * How `npm run dist` packs the app. The renderer and all libraries are inside dist/; besides it only the search program of the
 * platform is shipped, next to the archive, since no program can be started inside one.
 */
export const config: Configuration = {
  appId: 'app.overturn.desktop',
  productName: 'Overturn',
  copyright: 'MIT licence',
  directories: { output: 'release', buildResources: 'build' },
  files: ['dist/**', '!dist/.sources', 'package.json', '!node_modules/**', 'node_modules/@vscode/ripgrep-*/**'],
  asar: true,
  asarUnpack: ['node_modules/@vscode/ripgrep-*/**'],
  npmRebuild: false,
  publish: null,
  electronFuses: {
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
  },
  linux: { target: ['AppImage', 'tar.gz'], icon: 'build/icon.png', category: 'Development', executableName: 'overturn' },
  mac: { target: ['dmg', 'zip'], icon: 'build/icon.png', category: 'public.app-category.developer-tools' },
  win: { target: ['nsis', 'zip'], icon: 'build/icon.png' },
  nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
}
