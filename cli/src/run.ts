/** One run of the command: the arguments are parsed, the command does its work, and an error becomes a message and an exit code. */
import { CommanderError } from 'commander'
import { readClientConfig } from './config.ts'
import { type ErrorReport, type ExitCode, errorReportOf, exitCodes } from './failure.ts'
import { programOf } from './program.ts'
import { terminal } from './terminal.ts'

/** `args` are those behind the name of the command. Undefined when no error ended it: a command may have set the exit code. */
export async function run(args: readonly string[]): Promise<ExitCode | undefined> {
  const json = isJsonRequested(args)
  // Commander writes text; with --json the error is written below.
  const program = programOf(json ? { writeErr: () => undefined } : {})
  try {
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    if (error instanceof CommanderError && (error.exitCode === 0 || !json))
      return error.exitCode === 0 ? exitCodes.clean : exitCodes.wrong
    const report =
      error instanceof CommanderError
        ? argumentError(error)
        : errorReportOf(error, program.opts<{ url?: string }>().url ?? serverUrl())
    terminal({ json, color: process.stderr.hasColors?.() ?? false }).error(report)
    return report.exitCode
  }
}

/** The arguments may be wrong before the option is read. */
export const isJsonRequested = (args: readonly string[]): boolean => {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).includes('--json')
}

/** `error: unknown command 'lst'`, and in a second line `(Did you mean list?)`. */
function argumentError({ code, message }: CommanderError): ErrorReport {
  if (code === 'commander.help')
    return {
      message: 'The command is missing',
      hint: 'To see the commands: postrider --help',
      exitCode: exitCodes.wrong,
    }
  const [first = '', second] = message.replace(/^error: /, '').split('\n')
  return { message: first, ...(second && { hint: second.replace(/^\((.*)\)$/, '$1') }), exitCode: exitCodes.wrong }
}

/** The error may be that the configuration cannot be read. */
function serverUrl(): string {
  try {
    return readClientConfig().url
  } catch {
    return 'its address'
  }
}
