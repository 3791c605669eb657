/** `postrider automations invoke`: a run of a template, and with `--wait` its steps until it ends. */
import { setTimeout as pause } from 'node:timers/promises'
import { type AutomationRun, isPostriderError, type Postrider, type RunContext } from '@postrider/client'
import { type Command, Option } from 'commander'
import { assign, type Fields } from '../../../assign.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import { seconds } from '../../../seconds.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { statusStyle } from '../../../status.ts'

interface InvokeOptions {
  data?: Fields
  profile?: Fields
  brand?: string
  template?: string
  wait?: boolean
  timeout: number
}

/** Steps follow each other within milliseconds; a person does not see more often. */
const POLL_MS = 250

export function addInvoke(automations: Command): void {
  const timeout = new Option('--timeout <seconds>', 'how long to wait with --wait').default(60).argParser(seconds)
  automations
    .command('invoke')
    .description('Start a run of an automation template and print its id.')
    .argument('<template>', 'id or alias of the automation template')
    .argument('[recipient]', 'id of the recipient')
    .option('-d, --data <key=value>', 'data of the run; key:=json for values other than text', assign)
    .option(
      '-p, --profile <key=value>',
      'profile value for this run only; key:=json for values other than text',
      assign,
    )
    .option('--brand <id>', 'default brand of the steps')
    .option('--template <name>', 'default notification of the steps')
    .option('-w, --wait', 'follow the run until it ends')
    .addOption(timeout)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider automations invoke onboarding user-7 --data plan=pro
  $ postrider automations invoke onboarding user-7 --profile email=ada@example.com --wait --timeout 300

With --wait, the exit code is 1 if the run ends with an error or is not finished after --timeout.`,
    )
    .action(async (name: string, recipient: string | undefined, options: InvokeOptions, command: Command) =>
      invoke(sessionOf(command), name, contextOf(recipient, options), options),
    )
}

const contextOf = (recipient: string | undefined, { data, profile, brand, template }: InvokeOptions): RunContext => ({
  ...(recipient !== undefined && { recipient }),
  ...(data && { data }),
  ...(profile && { profile }),
  ...(brand !== undefined && { brand }),
  ...(template !== undefined && { template }),
})

async function invoke(
  session: Session,
  name: string,
  context: RunContext,
  { wait, timeout }: InvokeOptions,
): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const { runId } = await client.automations.invokeTemplate(name, context).catch((error: unknown) => {
    if (!isPostriderError(error, 'not_found')) throw error
    throw new Failure(`Unknown automation template \`${plain(name)}\``, {
      hint: 'To see all of them: postrider automations list',
      cause: error,
    })
  })
  if (!wait) {
    terminal.answer({ runId }, () => plain(runId))
    return
  }
  const run = await followed(session, client, runId, timeout)
  const { steps } = await client.automations.steps(runId)
  terminal.answer({ ...run, steps }, () => {
    const error = run.error === undefined ? '' : `: ${plain(run.error)}`
    return `${plain(runId)} ${statusStyle(terminal, run.status)}${error}`
  })
  if (run.status === 'ERROR') process.exitCode = exitCodes.failed
}

const isPending = ({ status }: AutomationRun) => status === 'PROCESSING' || status === 'WAITING'

/** Shows each step once it has come to a status. */
async function followed(
  { terminal }: Session,
  client: Postrider,
  runId: string,
  timeoutSeconds: number,
): Promise<AutomationRun> {
  const deadline = Date.now() + timeoutSeconds * 1_000
  const shown = new Map<string, string>()
  for (;;) {
    const run = await client.automations.run(runId)
    const { steps } = await client.automations.steps(runId)
    for (const { step_id, action, ref, status, message_id, reason, error } of steps) {
      if (status === 'NOT PROCESSED' || shown.get(step_id) === status) continue
      shown.set(step_id, status)
      const place = step_id.slice(step_id.lastIndexOf('/') + 1)
      const label = ref === undefined ? '' : ` (${plain(ref)})`
      const parts = [
        `${place}  ${plain(action)}${label}  ${statusStyle(terminal, status)}`,
        message_id,
        error ?? reason,
      ]
      terminal.note(parts.flatMap((part) => (part === undefined ? [] : [plain(part)])).join('  '))
    }
    if (!isPending(run)) return run
    if (Date.now() >= deadline)
      throw new Failure(`${runId} is ${run.status} after ${timeoutSeconds} s`, {
        hint: `It is still running in the background. To check it again: postrider automations steps ${plain(runId)}`,
      })
    await pause(POLL_MS)
  }
}
