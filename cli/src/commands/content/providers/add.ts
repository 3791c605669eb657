/** `postrider providers add` and `update`: an integration with its settings. */
import type { Channel, Integration, IntegrationUpdate, IntegrationWrite, Postrider } from '@postrider/client'
import { type Command, InvalidArgumentError } from 'commander'
import type { Fields } from '../../../assign.ts'
import { suggest } from '../../../completion/suggestions.ts'
import { countText } from '../../../count-text.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { providerNames } from '../../../operations/generated.ts'
import { plain } from '../../../plain.ts'
import { canPrompt, withQuestions } from '../../../questions.ts'
import { withReach } from '../../../reach.ts'
import { sessionOf } from '../../../session.ts'
import { catalogEntry, everyIntegration, findIntegration, integrationName } from './find.ts'
import {
  answerTo,
  givenSettings,
  promptForSettings,
  refuseMissing,
  type SettingOptions,
  withSettingOptions,
} from './settings.ts'

/** `none` removes one. The parser of options would make an empty text of null. */
type Limit = number | 'none'

interface WriteOptions extends SettingOptions {
  title?: string
  alias?: string
  channel?: string
  priority?: number
  weight?: Limit
  perSecond?: Limit
  concurrency?: Limit
  perDay?: Limit
}

const withWriteOptions = (command: Command): Command =>
  withSettingOptions(command)
    .option('--title <title>', 'display name')
    .option('--alias <alias>', 'alias, usable in place of the id')
    .option('--channel <channel>', 'channel to serve, if the provider supports several')
    .option('--priority <number>', 'lower values are tried first', priority)
    .option('--weight <number>', 'share among the integrations of a channel with a weight, or `none`', count)
    .option('--per-second <number>', 'calls that may start per second, such as 10 or 0.5, or `none`', rate)
    .option('--concurrency <number>', 'calls in progress at a time, or `none`', count)
    .option('--per-day <number>', 'calls per day (UTC), or `none`', count)

function count(text: string): Limit {
  if (text === 'none') return text
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1) return value
  throw new InvalidArgumentError('It must be a whole number, 1 or greater, or `none`.')
}

function rate(text: string): Limit {
  if (text === 'none') return text
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw new InvalidArgumentError('It must be a number above 0, or `none`.')
}

function priority(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0) return value
  throw new InvalidArgumentError('It must be a whole number, 0 or greater.')
}

const orNull = (limit: Limit): number | null => (limit === 'none' ? null : limit)

const written = ({ title, alias, channel, priority, weight, ...limits }: WriteOptions): Partial<IntegrationWrite> => ({
  ...(title !== undefined && { title }),
  ...(alias !== undefined && { alias }),
  // The server names the channels of the provider when it has none of this name.
  ...(channel !== undefined && { channel: channel as Channel }),
  ...(priority !== undefined && { priority }),
  ...(weight !== undefined && { weight: orNull(weight) }),
  ...limitsOf(limits),
})

function limitsOf({ perSecond, concurrency, perDay }: WriteOptions): Pick<IntegrationWrite, 'limits'> {
  const limits = {
    ...(perSecond !== undefined && { per_second: orNull(perSecond) }),
    ...(concurrency !== undefined && { concurrency: orNull(concurrency) }),
    ...(perDay !== undefined && { per_day: orNull(perDay) }),
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
    .argument('<provider>', 'provider from the catalog, such as smtp or sendgrid')
    .option('--disabled', 'add it disabled')
    .option('--no-input', 'never prompt for missing settings')
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

In a terminal, the command prompts for missing required settings and for the secret that goes with the others, such as
the password of a user; secrets are not echoed. Values on the command line are visible in the process list: enter secrets
at the prompt, or pass them in a variable, a file or standard input.`,
    )
    .action(async (provider: string, options: AddOptions, command: Command) => {
      const session = sessionOf(command)
      const { made, namesakes } = await withReach(session, async ({ client }) => {
        const made = await add(client, provider, options)
        return { made, namesakes: await namesakesOf(client, made) }
      })
      session.terminal.answer(made, () => addedText(made))
      if (namesakes.length > 0)
        session.terminal.warning(
          `${countText(namesakes.length + 1, 'integration')} have the title ${made.title}. To distinguish this one: postrider providers update ${made.id} --title <title>`,
        )
    })
}

async function add(client: Postrider, provider: string, options: AddOptions): Promise<Integration> {
  const catalog = await catalogEntry(client, provider)
  const optionSettings = givenSettings(options, catalog)
  const settings =
    options.input && canPrompt()
      ? await withQuestions((prompt) => promptForSettings(optionSettings, catalog, prompt))
      : optionSettings
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

const namesakesOf = async (client: Postrider, { id, title }: Integration): Promise<Integration[]> =>
  (await everyIntegration(client)).filter((other) => other.id !== id && other.title === title)

const addedText = (made: Integration) =>
  `Added ${integrationName(made)} for ${made.channels.map(plain).join(', ')}.\nTo test it: postrider providers test ${plain(made.id)} --to …`

interface UpdateOptions extends WriteOptions {
  unset?: string[]
  ask?: string[]
  enable?: boolean
  disable?: boolean
}

export function addUpdate(providers: Command): void {
  withWriteOptions(providers.command('update'))
    .description('Change an integration. Other settings are kept.')
    .argument('<integration>', 'id, alias, title or provider of the integration')
    .option('--unset <key...>', 'settings to remove')
    .option('--ask <key...>', 'settings to prompt for')
    .option('--enable', 'enable the integration')
    .option('--disable', 'disable the integration without removing it')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers update smtp --setting port=465
  $ postrider providers update smtp --ask password
  $ postrider providers update SendGrid --disable
  $ postrider providers update SendGrid --per-second 20 --concurrency none
  $ postrider providers update SendGrid --enable          closes its circuit breaker, as every change does

If you change the address that requests are sent to, enter the secrets again: stored secrets are never sent to a new
address.`,
    )
    .action(async (name: string, options: UpdateOptions, command: Command) => {
      const session = sessionOf(command)
      const changed = await withReach(session, ({ client }) => update(client, name, options))
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
  if (!canPrompt())
    throw new Failure('--ask needs a terminal', {
      hint: 'Without one: --setting-env key=VARIABLE or --setting-file key=FILE.',
      exitCode: exitCodes.wrong,
    })
  return withQuestions(async (prompt) => {
    const answers: Fields = {}
    for (const key of keys) {
      const setting = catalog.settings[key]
      if (!setting) throw new Failure(`Unknown setting \`${plain(key)}\``, { exitCode: exitCodes.wrong })
      answers[key] = await answerTo(key, { ...setting, required: true }, catalog, prompt)
    }
    return answers
  })
}
