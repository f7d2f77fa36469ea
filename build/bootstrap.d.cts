export const root: string
export function ensureInstalled(): void
export function ensureBuilt(): void
export function ensureBrowser(): void
/** The path of a Chromium on this machine, or `null` where Playwright should use its own. */
export function findChromium(): string | null
/** The path of the official Electron executable, or `null`. */
export function findElectron(): string | null
/** The command and arguments that run npm with `args`. */
export function npm(...args: readonly string[]): [command: string, args: string[]]
