import { serveApp } from './serve-app.js'

void serveApp(process.argv.slice(2), __dirname).then(
  (code) => {
    if (code !== null) process.exitCode = code
  },
  (thrown: unknown) => {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
    process.exitCode = 1
  },
)
