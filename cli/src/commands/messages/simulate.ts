/** `postrider simulate <automation>`: the effects of an automation, as a timeline. */
import { existsSync } from 'node:fs'
import { isPostriderError, type Postrider, type SimulationBody } from '@postrider/client'
import type { Command } from 'commander'
import { assign, type Fields } from '../../assign.ts'
import { exitCodes, Failure } from '../../failure.ts'
import { readObject } from '../../json-file.ts'
import { plain } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'

interface SimulateOptions {
  start?: string
  recipient?: string
  data?: Fields
  profile?: Fields
}

export function addSimulate(program: Command): void {
  program
    .command('simulate')
    .description(
      'Simulate an automation with a simulated clock: which messages it would send, when, to which recipients and channels.',
    )
    .argument(
      '<automation>',
      'JSON file (an automation, an automation template, or the body of an invoke or a simulation), - for standard input, or the name, alias or id of a stored template',
    )
    .option('--start <time>', 'start of the run, as ISO 8601 (default: now)')
    .option('-r, --recipient <id>', 'recipient of the run')
    .option('-d, --data <key=value>', 'data of the run; key:=json for values other than text', assign)
    .option('-p, --profile <key=value>', 'profile value of the recipient, for this simulation only', assign)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider simulate onboarding.json --recipient user-7 --profile email=ada@example.com
  $ postrider simulate onboarding --recipient user-7
  $ postrider simulate reminder.json --start 2026-03-28T09:00:00Z --data order=A17
  $ echo '{"steps":[{"action":"delay","until":"Mo-Fr 09:00-17:00"}]}' | postrider simulate -

Nothing is sent or stored, and no URL is called. The body of a simulation can also define profiles, responses of fetched
URLs ("fetched"), message statuses ("statuses") and further runs ("further"): see the guide to simulating automations.
The exit code is 1 if a run ends with an error or the simulation exceeds its limits.`,
    )
    .action(async (name: string, options: SimulateOptions, command: Command) => {
      const session = sessionOf(command)
      const file = name === '-' || existsSync(name) ? readObject(name) : undefined
      const simulation = await withReach(session, async ({ client }) =>
        client.simulate(bodyOf(file ?? { template_id: await templateIdOf(client, name) }, options)),
      )
      // Loaded here: it reads the contract, which no other command needs.
      const { simulationText } = await import('./simulate/timeline.ts')
      session.terminal.answer(simulation, () => simulationText(session.terminal, simulation))
      const failed = simulation.runs.some(({ status }) => status === 'ERROR')
      if (failed || !simulation.complete) process.exitCode = exitCodes.failed
    })
}

/** The id of a stored template, found by its id or alias, else by its name. Throws a `Failure`. */
async function templateIdOf({ automations }: Postrider, name: string): Promise<string> {
  try {
    return (await automations.template(name)).id
  } catch (error) {
    if (!isPostriderError(error, 'not_found')) throw error
  }
  const ids: string[] = []
  for await (const template of automations.templates()) if (template.name === name) ids.push(template.id)
  const [id] = ids
  if (id === undefined)
    throw new Failure(`${plain(name)} is neither a file nor a stored automation template`, {
      hint: 'To see stored templates: postrider automations list',
      exitCode: exitCodes.wrong,
    })
  if (ids.length > 1)
    throw new Failure(`${ids.length} automation templates are called ${plain(name)}`, {
      hint: `Give the id: ${ids.slice(0, 5).map(plain).join(', ')}`,
      exitCode: exitCodes.wrong,
    })
  return id
}

/** Options of the command line take precedence over the file. */
export function bodyOf(file: Record<string, unknown>, options: SimulateOptions): SimulationBody {
  const { start, recipient, data, profile } = options
  const { brand, template, recipient: bodyRecipient, data: values, profile: bodyProfile, ...rest } = file
  // An automation by itself, else a template or the body of an invoke, whose context lies beside it.
  const body = 'steps' in file ? { automation: file } : withoutNames(rest)
  const beside =
    'steps' in file ? {} : { brand, template, recipient: bodyRecipient, data: values, profile: bodyProfile }
  const context = {
    ...defined(beside),
    ...(file.context as object | undefined),
    ...(recipient !== undefined && { recipient }),
  } as NonNullable<SimulationBody['context']>
  if (data) context.data = { ...context.data, ...data }
  const whose = context.recipient
  if (profile && (whose === undefined || whose === null))
    throw new Failure('--profile needs a recipient', { hint: 'Give --recipient.', exitCode: exitCodes.wrong })
  const profiles = (file.profiles ?? {}) as NonNullable<SimulationBody['profiles']>
  return {
    ...body,
    context,
    ...(start !== undefined && { start }),
    ...(profile ? { profiles: { ...profiles, [String(whose)]: { ...profiles[String(whose)], ...profile } } } : {}),
  } as SimulationBody
}

/** Fields of a template beside its automation, which a simulation does not use. */
const templateNames = new Set(['id', 'name', 'alias', 'version', 'triggers', 'createdAt', 'updatedAt', 'warnings'])
const withoutNames = (file: object) =>
  Object.fromEntries(Object.entries(file).filter(([name]) => !templateNames.has(name)))

const defined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
