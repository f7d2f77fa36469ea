import type { Configuration } from 'electron-builder'

/** How `npm run dist` packs the app. The renderer and all libraries are inside dist/; nothing else is shipped. */
export const config: Configuration = {
  appId: 'app.overturn.desktop',
  productName: 'Overturn',
  copyright: 'MIT licence',
  directories: { output: 'release', buildResources: 'build' },
  files: ['dist/**', '!dist/.sources', 'package.json', '!node_modules/**'],
  asar: true,
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
