/** The command `postrider`: runs what the arguments say and ends with a code that says how it went. */
import { exitCodes } from './failure.ts'
import { isJsonRequested, run } from './run.ts'
import { terminal } from './terminal.ts'

const args = process.argv.slice(2)

// A reader that closes early (`postrider messages list | head`) is not an error.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.clean)
    if (stream === process.stdout)
      terminal({ json: isJsonRequested(args), color: false }).error({
        message: `Standard output cannot be written: ${error.message}`,
        exitCode: exitCodes.failed,
      })
    process.exit(exitCodes.failed)
  })

/** Longer than a failed start takes to close what it had opened. */
const CLOSE_MS = 10_000

const exitCode = await run(args)
if (exitCode !== undefined) {
  process.exitCode = exitCode
  // An open connection or file would keep the process alive.
  setTimeout(() => process.exit(), CLOSE_MS).unref()
}
