/** Promises of the types, kept when this compiles: a field that is misspelled is an error, and what the API promises is none. */
import { expect, test } from 'vitest'
import type {
  AutomationStep,
  AutomationTemplateInput,
  Element,
  IntegrationUpdate,
  IntegrationWrite,
  NotificationInput,
  Postrider,
  PostriderOptions,
} from './index.ts'

/** Never called: it is the compiler that checks it. */
export const checked = [
  (): IntegrationWrite => ({ provider: 'sendgrid', settings: { apiKey: 'SG.x', fromAddress: 'a@example.com' } }),
  (): IntegrationWrite => ({ provider: 'mailbox' }),
  (): IntegrationWrite => ({
    provider: 'sendgrid',
    // @ts-expect-error A setting that is misspelled.
    settings: { apiKee: 'SG.x', fromAddress: 'a@example.com' },
  }),
  // @ts-expect-error A setting of another provider.
  (): IntegrationWrite => ({ provider: 'twilio', settings: { apiKey: 'SG.x', fromAddress: 'a@example.com' } }),
  // @ts-expect-error Settings that are required.
  (): IntegrationWrite => ({ provider: 'sendgrid' }),
  // @ts-expect-error A provider that this version does not know.
  (): IntegrationWrite => ({ provider: 'pigeon', settings: {} }),
  // @ts-expect-error The mailbox has no settings.
  (): IntegrationWrite => ({ provider: 'mailbox', settings: { url: 'x' } }),
  // An omitted setting stays, and null removes one.
  (): IntegrationUpdate => ({ provider: 'sendgrid', settings: { baseUrl: null } }),
  // @ts-expect-error Also in a change.
  (): IntegrationUpdate => ({ provider: 'sendgrid', settings: { base_url: null } }),

  (): PostriderOptions[] => [{ apiKey: 'k', retries: 0 }, { session: true, baseUrl: 'https://x' }, { session: 'test' }],
  // @ts-expect-error Neither a key nor a session.
  (): PostriderOptions => ({ baseUrl: 'https://x' }),
  // @ts-expect-error Both of them.
  (): PostriderOptions => ({ apiKey: 'k', session: true }),
  // @ts-expect-error An environment that there is not.
  (): PostriderOptions => ({ session: 'staging' }),

  (): Element[] => [
    { type: 'meta', title: 'Hi' },
    { type: 'text', content: 'Hi', text_style: 'h1', locales: { de: { content: 'Hallo' } } },
    { type: 'columns', elements: [{ type: 'column', elements: [{ type: 'image', src: 'https://x' }] }] },
    { type: 'group', if: 'data.vip', loop: 'data.items', channels: ['email'], elements: [] },
  ],
  // @ts-expect-error A field that is misspelled.
  (): Element => ({ type: 'text', contnet: 'Hi' }),
  // @ts-expect-error A field of another element.
  (): Element => ({ type: 'divider', href: 'https://x' }),
  // @ts-expect-error A type that is not known.
  (): Element => ({ type: 'txt', content: 'Hi' }),
  // @ts-expect-error An element inside of another one.
  (): Element => ({ type: 'group', elements: [{ type: 'quote', contents: 'x' }] }),
  // @ts-expect-error A field of a translation.
  (): Element => ({ type: 'text', content: 'Hi', locales: { de: { contnet: 'Hallo' } } }),
  // @ts-expect-error A setting of a notification.
  (): NotificationInput => ({ name: 'x', content: { body: 'x' }, settings: { delivery_polcy: 'default' } }),

  (): AutomationStep[] => [
    { action: 'send', template: 'welcome', recipient: { $ref: 'data.user' }, if: 'data.vip', ref: 'hello' },
    { action: 'send', message: { to: { user_id: { $ref: 'data.user' }, slack: { channel: 'C1' } }, data: { a: 1 } } },
    { action: 'send', message: { content: { elements: [{ type: 'text', content: 'Hi' }] } } },
    { action: 'delay', duration: '2 days' },
    { action: 'fetch-data', webhook: { url: 'https://x', headers: { a: 'b' } }, merge_strategy: 'overwrite' },
    { action: 'throttle', max_allowed: 1, period: 'PT1H', on_throttle: { $node_id: 'later' } },
  ],
  // @ts-expect-error A field that is misspelled.
  (): AutomationStep => ({ action: 'delay', duratoin: '2 days' }),
  // @ts-expect-error An action that is not known.
  (): AutomationStep => ({ action: 'wait', duration: '2 days' }),
  // @ts-expect-error A field inside of a field.
  (): AutomationStep => ({ action: 'fetch-data', webhook: { url: 'https://x', header: {} } }),
  // @ts-expect-error A field of its message.
  (): AutomationStep => ({ action: 'send', message: { contents: { body: 'x' } } }),
  // @ts-expect-error An element of its message.
  (): AutomationStep => ({ action: 'send', message: { content: { elements: [{ type: 'text', contnet: 'x' }] } } }),
  // Parts of a context may stand in an automation.
  (): AutomationTemplateInput => ({ automation: { steps: [{ action: 'send' }], recipient: 'ada', data: { a: 1 } } }),
  // @ts-expect-error A field of a template.
  (): AutomationTemplateInput => ({ automation: { steps: [{ action: 'send' }] }, trigger: [] }),

  async (client: Postrider) => {
    const event = 'any'
    const first = await client.send({ event, recipient: 'ada', data: { whatever: true } })
    const second = await client.send({ message: { to: { email: 'a@example.com', slack: {} }, template: 'any' } })
    return [first.messageId, second.requestId]
  },
  // The forms of a recipient, and names that the server looks up.
  (client: Postrider) =>
    client.send({
      message: {
        to: [
          { user_id: 'ada', tenant_id: 'acme', slack: { channel: 'C1' }, data: { a: 1 } },
          { email: 'ada@example.com', phone_number: 4366012345 },
          { list_id: 'news', filters: [{ operator: 'MEMBER_OF', path: 'tenant_id', value: 'acme' }] },
          { list_pattern: 'team.**' },
          { audience_id: 'engineers' },
          { tenant_id: 'acme', include_children: true },
          {},
        ],
        routing: { method: 'single', channels: ['email', 'twilio', { channel: 'push', providers: ['slack'] }] },
        channels: { email: { override: { subject: 'Hi', cc: 'b@example.com' }, timeouts: 1_000 }, sms: null },
        providers: { smtp: { override: { body: { replyTo: 'a@example.com' }, config: { port: 25 } } } },
        timeout: { channel: { email: 1_000 }, provider: { sendgrid: 500 } },
      },
    }),
  (client: Postrider) =>
    client.send({
      event: 'welcome',
      recipient: 'ada',
      override: { channel: { email: { subject: 'Hi' } }, sendgrid: { body: {} } },
    }),
  // @ts-expect-error A misspelled key of a recipient.
  (client: Postrider) => client.send({ message: { to: { user_di: 'ada' } } }),
  // @ts-expect-error Also beside another one, in a list of recipients.
  (client: Postrider) => client.send({ message: { to: [{ email: 'a@example.com', user_di: 'ada' }] } }),
  // @ts-expect-error A field of a list.
  (client: Postrider) => client.send({ message: { to: { list_id: 'news', filtres: [] } } }),
  // @ts-expect-error A recipient in a step of an automation.
  (): AutomationStep => ({ action: 'send', message: { to: { user_di: 'ada' } } }),
  // @ts-expect-error A channel in a routing.
  (client: Postrider) => client.send({ message: { to: {}, routing: { channels: ['emial'] } } }),
  // @ts-expect-error A channel with settings.
  (client: Postrider) => client.send({ message: { to: {}, channels: { emial: {} } } }),
  // @ts-expect-error A provider with settings.
  (client: Postrider) => client.send({ message: { to: {}, providers: { sendgird: {} } } }),
  // @ts-expect-error A provider of a channel.
  (client: Postrider) => client.send({ message: { to: {}, channels: { email: { providers: ['sendgird'] } } } }),
  // An integration of the server is named by its id.
  async (client: Postrider) => {
    const { results } = await client.providers.list()
    const providers = results.map(({ id }) => id)
    return client.send({ message: { to: {}, channels: { email: { providers } } } })
  },
  // @ts-expect-error A channel with a timeout.
  (client: Postrider) => client.send({ message: { to: {}, timeout: { channel: { emial: 1_000 } } } }),
  // @ts-expect-error A field of an override of a channel.
  (client: Postrider) => client.send({ message: { to: {}, channels: { email: { override: { subjcet: 'Hi' } } } } }),
  // @ts-expect-error A mail has a sender, a text message has none.
  (client: Postrider) => client.send({ message: { to: {}, channels: { sms: { override: { from: 'a@b.co' } } } } }),
  (client: Postrider) =>
    // @ts-expect-error A setting in an override of a provider.
    client.send({ message: { to: {}, providers: { smtp: { override: { config: { prot: 1 } } } } } }),
  // @ts-expect-error A channel stands under channel in an override of the first generation.
  (client: Postrider) => client.send({ event: 'x', recipient: 'ada', override: { email: { subject: 'Hi' } } }),
  (client: Postrider) =>
    // @ts-expect-error A field of it.
    client.send({ event: 'x', recipient: 'ada', override: { channel: { email: { subjct: 'Hi' } } } }),
  (client: Postrider) =>
    client.bulk.create({ message: { event: 'welcome', data: {}, message: { content: { body: 'x' } } } }),
  // @ts-expect-error A field of the message of a bulk job.
  (client: Postrider) => client.bulk.create({ message: { event: 'welcome', dta: {} } }),
  // @ts-expect-error A field of a user of a bulk job.
  (client: Postrider) => client.bulk.ingest('job', { users: [{ recipent: 'ada' }] }),
  (client: Postrider) =>
    client.audiences.put('vips', {
      filter: { operator: 'AND', filters: [{ operator: 'EQ', path: 'vip', value: true }] },
    }),
  // @ts-expect-error An operator of an audience.
  (client: Postrider) => client.audiences.put('vips', { filter: { operator: 'EQQ', path: 'vip', value: true } }),
  // @ts-expect-error An operator inside of a group.
  (client: Postrider) => client.audiences.put('vips', { filter: { filters: [{ operator: 'EQQ' }] } }),

  // @ts-expect-error A field of a send.
  (client: Postrider) => client.send({ event: 'welcome', recipient: 'ada', dat: {} }),
  // @ts-expect-error A field of a message.
  (client: Postrider) => client.send({ message: { to: { user_id: 'ada' }, tempalte: 'welcome' } }),
  // @ts-expect-error The second generation answers with a request.
  async (client: Postrider) => (await client.send({ message: { to: { user_id: 'ada' } } })).messageId,
  // A document that was read can be written again.
  async (client: Postrider) => {
    const { content, name } = await client.notifications.get('welcome')
    return client.notifications.replace('welcome', { notification: { name, content } })
  },
  // The wire takes more than this version knows.
  (client: Postrider) => client.call({ method: 'POST', path: '/providers', body: { provider: 'pigeon' }, options: {} }),
]

test('as many cases as stand there are compiled', () => expect(checked.length).toBeGreaterThan(25))
