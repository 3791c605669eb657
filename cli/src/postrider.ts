/** The command `postrider`: runs what the arguments say and ends with a code that says how it went. */
import { CommanderError } from 'commander'
import { readClientConfig } from './config.ts'
import { exitCodes, faultOf } from './failure.ts'
import { programOf } from './program.ts'
import { terminal } from './terminal.ts'

// A reader that closes early (`postrider messages list | head`) has what it wanted.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : exitCodes.failed))

/** Longer than a failed start takes to close what it had opened. */
const HELD_MS = 10_000

const program = programOf()
try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
  // What still holds on would keep the process alive.
  setTimeout(() => process.exit(), HELD_MS).unref()
}

function report(error: unknown): number {
  // Commander has said what is wrong with the arguments.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.clean : exitCodes.wrong
  const { json, url } = program.opts<{ json?: boolean; url?: string }>()
  const fault = faultOf(error, url ?? serverUrl())
  terminal({ json: json === true, colour: process.stderr.hasColors?.() ?? false }).fault(fault)
  return fault.exitCode
}

/** The fault may be that the configuration cannot be read. */
function serverUrl(): string {
  try {
    return readClientConfig().url
  } catch {
    return 'its address'
  }
}
