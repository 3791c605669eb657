/** `postrider providers …`: integrations, and the catalog of providers. */
import type { CatalogEntry, Integration } from '@postrider/client'
import type { Command } from 'commander'
import { plain, plainJson, utcTime } from '../../plain.ts'
import { withReach } from '../../reach.ts'
import { sessionOf } from '../../session.ts'
import { sheet, table } from '../../table.ts'
import type { Terminal } from '../../terminal.ts'
import { addAdd, addUpdate } from './providers/add.ts'
import { addDkimKeys } from './providers/dkim-keys.ts'
import { catalogEntry, everyIntegration, findIntegration, integrationName } from './providers/find.ts'
import { addHealth } from './providers/health.ts'
import { addOutage } from './providers/outage.ts'
import { addTest } from './providers/test.ts'
import { addVapidKeys } from './providers/vapid-keys.ts'

export function addProviders(program: Command): void {
  const providers = program
    .command('providers')
    .description('Add, list, change and test integrations, show their health, and simulate an outage.')
    .addHelpText(
      'after',
      `
A provider is the adapter for a service (smtp, sendgrid, …). An integration is a provider with credentials, in the
environment of the API key. These commands call the running server, or open the database of this machine if no server
is running.`,
    )
  const keys = [addDkimKeys, addVapidKeys]
  const states = [addTest, addHealth, addOutage]
  const commands = [addCatalog, addAdd, addList, addShow, addUpdate, addRemove, ...states, ...keys]
  for (const addCommand of commands) addCommand(providers)
}

function addCatalog(providers: Command): void {
  providers
    .command('catalog')
    .description('List the available providers, or the settings of one.')
    .argument('[provider]', 'name of a provider, such as smtp or sendgrid')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers catalog
  $ postrider providers catalog smtp`,
    )
    .action(async (provider: string | undefined, _options: unknown, command: Command) => {
      const { terminal } = sessionOf(command)
      if (provider === undefined) {
        const { results } = await withReach(sessionOf(command), ({ client }) => client.providers.catalog())
        terminal.answer({ results }, () => catalogText(results))
        return
      }
      const entry = await withReach(sessionOf(command), ({ client }) => catalogEntry(client, provider))
      terminal.answer(entry, () => settingsText(entry))
    })
}

const catalogText = (entries: readonly CatalogEntry[]) =>
  table(
    [{ title: 'PROVIDER' }, { title: 'CHANNELS' }, { title: 'NAME' }, { title: 'REQUIRED SETTINGS' }],
    entries.map(({ provider, channels, name, settings }) => [
      provider,
      channels.join(', '),
      name,
      Object.entries(settings)
        .filter(([, { required }]) => required)
        .map(([key]) => key)
        .join(', '),
    ]),
  )

const countText = (value: number) => value.toLocaleString('en-US')

const limitsText = ({ request_bytes, characters = {} }: NonNullable<CatalogEntry['limits']>) =>
  [
    ...(request_bytes === undefined ? [] : [`${countText(request_bytes)} bytes a request`]),
    ...Object.entries(characters).map(([path, most]) => `${countText(most)} characters in ${path}`),
  ].join(', ')

function settingsText({
  provider,
  name,
  description,
  website,
  channels,
  profile_keys,
  limits,
  settings,
}: CatalogEntry): string {
  const head = sheet([
    ['provider', provider],
    ['name', name],
    ['about', description],
    ['website', website],
    ['channels', channels.join(', ')],
    ['profile', profile_keys?.join(', ')],
    ['limits', limits && limitsText(limits)],
  ])
  const rows = Object.entries(settings).map(([key, { type, values, required, secret, group, title, description }]) => [
    key,
    values ? values.join(' | ') : type,
    [...(required ? ['required'] : []), ...(secret ? ['secret'] : []), ...(group ? [group] : [])].join(', '),
    description ?? title,
  ])
  if (rows.length === 0) return `${head}\n\nIt has no settings.`
  return `${head}\n\n${table([{ title: 'SETTING' }, { title: 'TYPE' }, { title: '' }, { title: 'MEANING' }], rows)}`
}

function addList(providers: Command): void {
  providers
    .command('list')
    .description('List the integrations, in the order in which they are tried for a channel.')
    .addHelpText(
      'after',
      `
Example:
  $ postrider providers list`,
    )
    .action(async (_options: unknown, command: Command) => {
      const session = sessionOf(command)
      const results = await withReach(session, ({ client }) => everyIntegration(client))
      session.terminal.answer({ results }, () => listText(results, session.terminal))
    })
}

function stateOf({ enabled, unreadable, circuit_breaker: breaker }: Integration): string {
  if (unreadable) return 'unreadable'
  if (!enabled) return 'disabled'
  // A server of an earlier version has no breakers.
  if (breaker?.state === 'open') return 'circuit open'
  return breaker?.state === 'half_open' ? 'half open' : 'enabled'
}

const stateStyles = {
  enabled: 'green',
  disabled: 'yellow',
  unreadable: 'red',
  'circuit open': 'red',
  'half open': 'yellow',
} as const

/** `10/s, 5 at a time, 120 of 50000 today`; empty without limits. */
function callLimitsText({ limits = {}, used_today = 0 }: Integration): string {
  const { per_second, concurrency, per_day } = limits
  return [
    ...(per_second === undefined ? [] : [`${per_second}/s`]),
    ...(concurrency === undefined ? [] : [`${concurrency} at a time`]),
    ...(per_day === undefined ? [] : [`${used_today} of ${per_day} today`]),
  ].join(', ')
}

const byChannel = (integration: Integration, other: Integration) =>
  integration.channel.localeCompare(other.channel) ||
  integration.priority - other.priority ||
  integration.created - other.created

function listText(results: readonly Integration[], terminal: Terminal): string {
  if (results.length === 0) return 'No integrations.'
  const state = (text: string) => terminal.style(stateStyles[text as keyof typeof stateStyles] ?? 'yellow', text)
  return table(
    [
      { title: 'CHANNEL' },
      { title: 'PROVIDER' },
      { title: 'TITLE', charactersMax: 40 },
      { title: 'STATE', style: state },
      { title: 'PRIORITY' },
      { title: 'WEIGHT' },
      { title: 'LIMITS' },
      { title: 'ID' },
    ],
    results
      .toSorted(byChannel)
      .map((integration) => [
        integration.channels.length > 1 ? `${integration.channels.length} channels` : integration.channel,
        integration.provider,
        integration.title,
        stateOf(integration),
        integration.priority,
        integration.weight,
        callLimitsText(integration),
        integration.id,
      ]),
  )
}

function addShow(providers: Command): void {
  providers
    .command('show')
    .description('Show an integration and its settings. Secrets are masked.')
    .argument('<integration>', 'id, alias, title or provider of the integration')
    .addHelpText(
      'after',
      `
Example:
  $ postrider providers show smtp`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const integration = await withReach(session, ({ client }) => findIntegration(client, name))
      session.terminal.answer(integration, () => integrationText(integration))
    })
}

function integrationText(integration: Integration): string {
  const { id, alias, provider, title, channels, priority, weight, created, updated, settings } = integration
  const head = sheet([
    ['id', id],
    ['alias', alias],
    ['provider', provider],
    ['title', title],
    ['channels', channels.join(', ')],
    ['state', stateOf(integration)],
    ...breakerRows(integration),
    ['priority', priority],
    ['weight', weight],
    ['limits', callLimitsText(integration)],
    ['callback_url', integration.callback_url],
    ['created', utcTime(created)],
    ['updated', utcTime(updated)],
  ])
  const text = (value: unknown) => (typeof value === 'string' ? plain(value) : plainJson(value))
  const rows = Object.entries(settings).map(([key, value]) => [key, text(value)])
  return rows.length === 0 ? head : `${head}\n\n${table([{ title: 'SETTING' }, { title: 'VALUE' }], rows)}`
}

/** Only of a breaker that is not closed. */
function breakerRows({ circuit_breaker: breaker }: Integration): [string, unknown][] {
  if (!breaker || breaker.state === 'closed') return []
  const { since, reason, next_probe, error } = breaker
  return [
    ['open since', utcTime(since)],
    ['reason', reason],
    ['next probe', utcTime(next_probe)],
    ['last error', error],
  ]
}

function addRemove(providers: Command): void {
  providers
    .command('remove')
    .description('Delete an integration and its credentials.')
    .argument('<integration>', 'id, alias, title or provider of the integration')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers remove SendGrid
  $ postrider providers update SendGrid --disable     keeps the integration without using it`,
    )
    .action(async (name: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const removed = await withReach(session, async ({ client }) => {
        const integration = await findIntegration(client, name)
        await client.providers.delete(integration.id)
        return integration
      })
      session.terminal.answer({ id: removed.id, removed: true }, () => `Removed ${integrationName(removed)}.`)
    })
}
