/** /providers: the integrations of a workspace, whether they work, and the catalog of providers. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { filterValuesMax, pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, text } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { Integration, IntegrationUpdate, IntegrationWrite, secretMask } from '../../shapes/integration.ts'
import { CatalogEntry } from '../../shapes/provider-catalog.ts'
import { healthDaysMax, ProviderHealth } from '../../shapes/provider-health.ts'
import { ProviderTest, ProviderTestBody, SettingsTest, testsPerMinute } from '../../shapes/provider-test.ts'

export const providersPage = 50

const params = Type.Object({ id: id('The integration id or its alias.') })
const example = { id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8' }
const record = {
  id: example.id,
  provider: 'sendgrid',
  channel: 'email',
  channels: ['email'],
  title: 'SendGrid',
  settings: { apiKey: secretMask, fromAddress: 'hello@example.com' },
  enabled: true,
  priority: 0,
  circuit_breaker: { state: 'closed' as const },
  callback_url: 'https://notify.example.com/callbacks/WyIxIiwiQzNWRkoiXQ.0mZfJ2c1nPq3x8KQv5yR7w',
  created: 1_710_334_643_000,
}
const mailbox = {
  id: 'N7Q2WJ5XKB8RT4MZC9V3HYDFA6P1',
  provider: 'mailbox',
  channel: 'email',
  channels: ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'],
  title: 'Mailbox',
  settings: {},
  enabled: true,
  priority: 0,
  circuit_breaker: { state: 'closed' as const },
  created: 1_710_334_643_000,
}
const body = { provider: 'sendgrid', settings: { apiKey: 'SG.example', fromAddress: 'hello@example.com' } }

export default resource({
  name: 'providers',
  position: 250,
  title: 'Providers',
  description: 'Integrations with providers, and the provider catalog.',
  impersonal: true,
  operations: [
    operation({
      id: 'providers.list',
      method: 'GET',
      path: '/providers',
      summary: 'List integrations',
      query: Type.Object(pageQuery(providersPage)),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(Integration, { maxItems: pageMax }) }) },
      example: { reply: { paging: { more: false }, results: [mailbox] } },
    }),
    operation({
      id: 'providers.catalog',
      method: 'GET',
      path: '/providers/catalog',
      summary: 'List the provider catalog',
      query: Type.Object({
        keys: Type.Optional(
          Type.Array(text('Key of a provider.'), {
            maxItems: filterValuesMax,
            description: 'Keys of the providers to list.',
          }),
        ),
        name: Type.Optional(text('Part of the name of the providers.')),
        channel: Type.Optional(Type.Enum([...ChannelName.enum], { description: 'Channel of the providers.' })),
      }),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(CatalogEntry) }) },
      example: {
        query: { channel: 'email' },
        reply: {
          paging: { more: false },
          results: [
            {
              provider: 'sendgrid',
              name: 'SendGrid',
              channel: 'email',
              channels: ['email'],
              description: 'Email over the SendGrid API.',
              website: 'https://sendgrid.com',
              profile_keys: ['email'],
              limits: { request_bytes: 31_457_280 },
              settings: { apiKey: { type: 'string', required: true, secret: true } },
            },
          ],
        },
      },
    }),
    operation({
      id: 'providers.create',
      method: 'POST',
      path: '/providers',
      summary: 'Create an integration',
      audit: 'integration:created',
      body: IntegrationWrite,
      replies: { 201: Integration, 409: ErrorBody },
      example: { body, reply: record },
    }),
    operation({
      id: 'providers.testSettings',
      origin: 'postrider',
      method: 'POST',
      path: '/providers/test',
      summary: 'Test settings before an integration has them',
      description: `Takes the body of \`POST /providers\`, checks it the same way, and signs in to the provider with its settings, or makes an authorized call without side effects. Nothing is stored and nothing is sent. ${testsPerMinute} tests a minute, together with those of integrations.`,
      audit: 'provider:tested',
      body: IntegrationWrite,
      replies: { 200: SettingsTest },
      example: {
        body,
        reply: {
          ok: false,
          sign_in: {
            state: 'fail',
            detail: 'api.sendgrid.com: The provided authorization grant is invalid, expired, or revoked',
            hint: 'Look at the credentials in its settings.',
            took_ms: 214,
          },
        },
      },
    }),
    operation({
      id: 'providers.get',
      method: 'GET',
      path: '/providers/:id',
      summary: 'Get an integration',
      params,
      replies: { 200: Integration, 404: ErrorBody },
      example: { params: example, reply: record },
    }),
    operation({
      id: 'providers.update',
      method: 'PUT',
      path: '/providers/:id',
      summary: 'Change an integration',
      audit: 'integration:updated',
      description:
        'Omitted fields are unchanged. A change of the server address requires the secrets again. Messages in progress use the new settings from their next attempt.',
      params,
      body: IntegrationUpdate,
      replies: { 200: Integration, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: example,
        body: { ...body, settings: { apiKey: secretMask, fromAddress: 'hello@example.com' } },
        reply: { ...record, updated: 1_710_421_043_000 },
      },
    }),
    operation({
      id: 'providers.delete',
      method: 'DELETE',
      path: '/providers/:id',
      summary: 'Delete an integration',
      audit: 'integration:deleted',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'providers.test',
      origin: 'postrider',
      method: 'POST',
      path: '/providers/:id/test',
      summary: 'Test an integration',
      description: `Signs in to the provider, or makes an authorized call without side effects, and sends one message where \`to\`, \`recipient\`, \`profile\` or \`send\` says so: through this integration only, without failover and retries, within its limits. A sign-in that does not fail closes an open circuit breaker before the message. A test that goes well releases messages that are held for the integration. With \`settings\` it signs in with a change before it is stored: the breaker and held messages stay as they are. ${testsPerMinute} tests a minute. While deliveries are paused, a test with a message is 409 \`conflict\`.`,
      audit: 'integration:tested',
      params,
      body: ProviderTestBody,
      bodyOptional: true,
      replies: { 200: ProviderTest, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: example,
        body: {},
        reply: {
          ok: false,
          integration: { id: example.id, provider: 'sendgrid', title: 'SendGrid' },
          sign_in: {
            state: 'fail',
            detail: 'api.sendgrid.com: The provided authorization grant is invalid, expired, or revoked',
            hint: 'Look at the credentials in its settings.',
            took_ms: 214,
          },
        },
      },
    }),
    operation({
      id: 'providers.health',
      origin: 'postrider',
      method: 'GET',
      path: '/providers/:id/health',
      summary: 'Get the health of an integration',
      description: `Calls of the last 24 hours, or of \`window\` (${healthDaysMax} days at most), by result and latency, with the circuit breaker as it is now. Each node adds its calls every ten seconds, and the one that answers before it answers; a process that is killed loses those of that time.`,
      params,
      query: Type.Object({
        window: Type.Optional(text('Length: `15m`, `24h`, `7 days`, or ISO 8601 (`PT24H`); `24h` unless given.')),
      }),
      replies: { 200: ProviderHealth, 404: ErrorBody },
      example: {
        params: example,
        query: { window: '24h' },
        reply: {
          integration: { id: example.id, provider: 'sendgrid', title: 'SendGrid' },
          from: 1_710_248_100_000,
          to: 1_710_334_643_000,
          circuit_breaker: { state: 'closed' },
          calls: 0,
          results: {},
          buckets: [],
        },
      },
    }),
  ],
})
