/** `postrider providers add` and `update`: an integration with its settings. */
import type { Channel, Integration, IntegrationUpdate, IntegrationWrite, Postrider } from '@postrider/client'
import { type Command, InvalidArgumentError } from 'commander'
import type { Fields } from '../../assign.ts'
import { suggest } from '../../completion/suggestions.ts'
import { exitCodes, Failure } from '../../failure.ts'
import { providerNames } from '../../operations/generated.ts'
import { plain } from '../../plain.ts'
import { canAsk, withQuestions } from '../../questions.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'
import { catalogEntry, findIntegration, integrationName } from './find.ts'
import {
  answerTo,
  askForSettings,
  givenSettings,
  refuseMissing,
  type SettingOptions,
  withSettingOptions,
} from './settings.ts'

interface WriteOptions extends SettingOptions {
  title?: string
  alias?: string
  channel?: string
  priority?: number
  weight?: number | null
  perSecond?: number | null
  concurrency?: number | null
  perDay?: number | null
}

const withWriteOptions = (command: Command): Command =>
  withSettingOptions(command)
    .option('--title <title>', 'name for people')
    .option('--alias <alias>', 'a second name, which stands for the id')
    .option('--channel <channel>', 'the channel it serves, of a provider with several')
    .option('--priority <number>', 'lower ones are tried first', priority)
    .option('--weight <number>', 'its share among those of a channel that have a weight, or `none`', count)
    .option('--per-second <number>', 'calls that may start per second, such as 10 or 0.5, or `none`', rate)
    .option('--concurrency <number>', 'calls in progress at a time, or `none`', count)
    .option('--per-day <number>', 'calls in a day of UTC, or `none`', count)

/** Null takes a limit away. */
function count(text: string): number | null {
  if (text === 'none') return null
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1) return value
  throw new InvalidArgumentError('It is a whole number from 1, or `none`.')
}

function rate(text: string): number | null {
  if (text === 'none') return null
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('It is a number above 0, or `none`.')
}

function priority(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0) return value
  throw new InvalidArgumentError('It is a whole number from 0.')
}

const written = ({ title, alias, channel, priority, weight, ...limits }: WriteOptions): Partial<IntegrationWrite> => ({
  ...(title !== undefined && { title }),
  ...(alias !== undefined && { alias }),
  // The server names the channels of the provider when it has none of this name.
  ...(channel !== undefined && { channel: channel as Channel }),
  ...(priority !== undefined && { priority }),
  ...(weight !== undefined && { weight }),
  ...limitsOf(limits),
})

function limitsOf({ perSecond, concurrency, perDay }: WriteOptions): Pick<IntegrationWrite, 'limits'> {
  const limits = {
    ...(perSecond !== undefined && { per_second: perSecond }),
    ...(concurrency !== undefined && { concurrency }),
    ...(perDay !== undefined && { per_day: perDay }),
  }
  return Object.keys(limits).length > 0 ? { limits } : {}
}

interface AddOptions extends WriteOptions {
  disabled?: boolean
  input: boolean
}

export function addAdd(providers: Command): void {
  const command = providers.command('add')
  suggest(command, providerNames)
  withWriteOptions(command)
    .description('Add an integration: a provider with credentials.')
    .argument('<provider>', 'a provider of the catalog: smtp, sendgrid, …')
    .option('--disabled', 'send nothing through it until it is enabled')
    .option('--no-input', 'ask nothing on the terminal')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers add smtp --setting host=smtp.example.com --setting user=postrider \\
      --setting fromAddress=hello@example.com
  $ postrider providers add sendgrid --setting fromAddress=hello@example.com --setting-env apiKey=SENDGRID_API_KEY
  $ pass show twilio | postrider providers add twilio -s accountSid=AC… -s from=+12025550100 --setting-file authToken=-
  $ postrider providers add smtp -s host=smtp.example.com -s fromAddress=hello@example.com --per-second 10 --per-day 50000
  $ postrider providers catalog smtp

A terminal prompts for required settings and secrets that are not given; secrets are not shown. A value on the
command line is visible in the list of processes: give secrets at the prompt, in a variable, a file or standard input.`,
    )
    .action(async (provider: string, options: AddOptions, command: Command) => {
      const session = sessionOf(command)
      const made = await withReach(session, ({ own }) => add(own, provider, options))
      session.terminal.answer(made, () => addedText(made))
    })
}

async function add(client: Postrider, provider: string, options: AddOptions): Promise<Integration> {
  const catalog = await catalogEntry(client, provider)
  const given = givenSettings(options, catalog)
  const settings = options.input && canAsk() ? await withQuestions((ask) => askForSettings(given, catalog, ask)) : given
  refuseMissing(settings, catalog)
  const input = {
    provider: catalog.provider,
    settings,
    ...written(options),
    ...(options.disabled && { enabled: false }),
  }
  // The server's catalog names the provider: it may be one that this version's types do not know.
  return client.providers.create(input as IntegrationWrite)
}

const addedText = (made: Integration) =>
  `Added ${integrationName(made)} for ${made.channels.map(plain).join(', ')}.\nTry it: postrider providers test ${plain(made.id)} --to …`

interface UpdateOptions extends WriteOptions {
  unset?: string[]
  ask?: string[]
  enable?: boolean
  disable?: boolean
}

export function addUpdate(providers: Command): void {
  withWriteOptions(providers.command('update'))
    .description('Change an integration; what is not named stays as it is.')
    .argument('<integration>', 'its id, alias or title, or its provider')
    .option('--unset <key...>', 'settings that are taken away')
    .option('--ask <key...>', 'settings that the terminal prompts for')
    .option('--enable', 'send through it')
    .option('--disable', 'keep it, and send nothing through it')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers update smtp --setting port=465
  $ postrider providers update smtp --ask password
  $ postrider providers update SendGrid --disable
  $ postrider providers update SendGrid --per-second 20 --concurrency none
  $ postrider providers update SendGrid --enable          closes its circuit breaker, as every change does

A change of the address that requests go to has to come with the stored secrets, which never go to a new address.`,
    )
    .action(async (name: string, options: UpdateOptions, command: Command) => {
      const session = sessionOf(command)
      const changed = await withReach(session, ({ own }) => update(own, name, options))
      session.terminal.answer(changed, () => `Changed ${integrationName(changed)}.`)
    })
}

async function update(client: Postrider, name: string, options: UpdateOptions): Promise<Integration> {
  if (options.enable && options.disable)
    throw new Failure('--enable and --disable exclude each other', { exitCode: exitCodes.wrong })
  const { id, provider } = await findIntegration(client, name)
  const catalog = await catalogEntry(client, provider)
  const { unset = [], ask: prompted = [] } = options
  const settings: Fields = {
    ...givenSettings(options, catalog),
    ...Object.fromEntries(unset.map((key) => [key, null])),
  }
  if (prompted.length > 0) Object.assign(settings, await answersTo(prompted, catalog))
  const change = {
    ...written(options),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(options.enable && { enabled: true }),
    ...(options.disable && { enabled: false }),
  }
  if (Object.keys(change).length === 0)
    throw new Failure('No change is given', {
      hint: `For example: postrider providers update ${plain(name)} --setting key=value. The settings: postrider providers catalog ${plain(provider)}`,
      exitCode: exitCodes.wrong,
    })
  return client.providers.update(id, { provider, ...change } as IntegrationUpdate)
}

async function answersTo(keys: readonly string[], catalog: Awaited<ReturnType<typeof catalogEntry>>): Promise<Fields> {
  if (!canAsk())
    throw new Failure('--ask needs a terminal', {
      hint: 'Without one: --setting-env key=VARIABLE or --setting-file key=FILE.',
      exitCode: exitCodes.wrong,
    })
  return withQuestions(async (ask) => {
    const answers: Fields = {}
    for (const key of keys) {
      const setting = catalog.settings[key]
      if (!setting) throw new Failure(`Unknown setting \`${plain(key)}\``, { exitCode: exitCodes.wrong })
      answers[key] = await answerTo(key, { ...setting, required: true }, catalog, ask)
    }
    return answers
  })
}
