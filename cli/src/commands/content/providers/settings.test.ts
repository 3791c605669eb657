/** The terminal prompts for what an integration needs, and for no secret of another kind of sign-in. */
import type { CatalogEntry } from '@postrider/client'
import { expect, test } from 'vitest'
import type { Fields } from '../../../assign.ts'
import { promptForSettings } from './settings.ts'

/** `!` marks required settings, `*` secrets, and `@` the group. */
const settingsOf = (list: string) =>
  Object.fromEntries(
    list.split(' ').map((mark) => {
      const [, name = '', flags = '', group] = /^(\w+)([!*]*)(?:@(\w+))?$/.exec(mark) ?? []
      const setting = { type: 'string', required: flags.includes('!'), secret: flags.includes('*') }
      return [name, { ...setting, title: name, ...(group && { group }) }]
    }),
  )

const catalog: Record<string, string> = {
  smtp: 'host! user password* clientId@oauth clientSecret*@oauth refreshToken*@oauth accessToken*@oauth dkimPrivateKey*@dkim fromAddress! webhookToken*@callbacks',
  sendgrid: 'apiKey!* fromAddress! webhookKey*@callbacks',
  'aws-ses': 'region! accessKeyId!* secretAccessKey!* sessionToken*@advanced fromAddress!',
  slack: 'accessToken* webhookUrl*',
  gmail: 'clientId clientSecret* refreshToken* serviceAccount* fromAddress!',
  webhook: 'url authentication username password* token*',
}

async function promptedFor(provider: string, values: Fields, answers: Fields = {}): Promise<string[]> {
  const entry = { provider, name: provider, settings: settingsOf(catalog[provider] ?? '') } as unknown as CatalogEntry
  const prompted: string[] = []
  await promptForSettings(values, entry, async (question) => {
    const [name = ''] = question.split(/[:,]/)
    prompted.push(name)
    return String(answers[name] ?? (question.includes('empty for none') ? '' : 'x'))
  })
  return prompted
}

const mail = { host: 'smtp.example.com', fromAddress: 'hello@example.com' }

test.each<[provider: string, values: Fields, expected: string[]]>([
  ['smtp', {}, ['host', 'fromAddress']],
  ['smtp', mail, []],
  ['smtp', { ...mail, user: 'postrider' }, ['password']],
  ['smtp', { ...mail, user: 'postrider', password: 'secret' }, []],
  ['smtp', { ...mail, user: 'postrider', accessToken: 'token' }, []],
  ['smtp', { ...mail, user: 'postrider', clientId: 'client' }, []],
  ['sendgrid', {}, ['apiKey', 'fromAddress']],
  ['aws-ses', { region: 'eu-west-1' }, ['accessKeyId', 'secretAccessKey', 'fromAddress']],
  ['slack', { webhookUrl: 'https://example.com/hook' }, []],
  ['slack', {}, ['accessToken', 'webhookUrl']],
  ['gmail', {}, ['serviceAccount', 'fromAddress']],
  ['gmail', { clientId: 'client', fromAddress: 'a@b.c' }, ['clientSecret', 'refreshToken', 'serviceAccount']],
  ['webhook', { url: 'https://example.com/' }, []],
  ['webhook', { authentication: 'bearer' }, ['token']],
  ['webhook', { authentication: 'basic', username: 'ada' }, ['password']],
])('%s with %j prompts for %j', async (provider, values, expected) => {
  expect(await promptedFor(provider, values)).toEqual(expected)
})

test('an answer to one of two secrets spares the other', async () => {
  expect(await promptedFor('slack', {}, { accessToken: 'xoxb-1' })).toEqual(['accessToken'])
  const client = { clientId: 'client', fromAddress: 'a@b.c' }
  expect(await promptedFor('gmail', client, { clientSecret: 's', refreshToken: 'r' })).toEqual([
    'clientSecret',
    'refreshToken',
  ])
})
