import { runChecks } from './checks.js'

const steps = await runChecks()
for (const { name, isPassed } of steps) process.stdout.write(`${name}: ${isPassed ? 'passed' : 'failed'}\n`)
process.exitCode = steps.every(({ isPassed }) => isPassed) ? 0 : 1
