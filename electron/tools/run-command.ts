import { z } from 'zod'
import { proposeCommand } from './propose-command.js'
import { commandResult } from './command-result.js'
import { tool } from './tool.js'

export const runCommand = tool({
  name: 'run_command',
  title: 'Run a command',
  description:
    'Runs a shell command (bash) in the workspace folder and waits for its end; nothing stays running in the background. A person may have to approve it; the policy judges each part of a chain by itself. Output is bounded, and the answer lists the files that changed. To change a file prefer edit_file.',
  effect: 'command',
  params: z.object({
    command: z.string().min(1).max(100_000).describe('The command line'),
    time_limit_ms: z.number().int().min(1_000).max(3_600_000).optional().describe('Ends the command after so long'),
  }),
  result: commandResult,
  run: ({ command, time_limit_ms: timeLimitMs }, session, call) => proposeCommand(session, call, { command, timeLimitMs: timeLimitMs ?? null, interpret: null }),
})
