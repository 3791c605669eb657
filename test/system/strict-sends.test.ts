/**
 * A strict send is refused for errors that would otherwise be found at delivery; any other send reports them
 * afterwards.
 */
import type { MessageRecipient, MessageSendBody, Postrider } from '@postrider/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  beforeAll(async () => {
    app = await open()
    client = app.client
    await publish(client, 'order', { channels: ['email'], content: { title: 'Order {id}', body: 'Hello {name}' } })
    await publish(client, 'signed', { channels: ['email'], content: { title: 'Hi', body: 'Words. {{>signature}}' } })
    await client.brands.create({ id: 'acme', name: 'Acme', settings: {}, snippets: { items: [] } })
    const content = { title: 'Draft', body: 'Draft' }
    await client.notifications.create({ notification: { name: 'draft', alias: 'draft', content } })
  })

  const order = {
    event: 'order',
    recipient: 'ada',
    profile: { email: 'ada@example.com' },
    data: { id: 7, name: 'Ada' },
  }
  const message = {
    to: { user_id: 'ada', email: 'ada@example.com' },
    template: 'order',
    data: { id: 7, name: 'Ada' },
  }
  const send = (body: unknown, query = '?strict=true', headers: Record<string, string> = {}) =>
    app.call('POST', `/send${query}`, { body, headers })
  const refused = (...problems: string[]) => ({
    status: 400,
    json: { message: `The strict send is refused. ${problems.join(' ')}`, type: 'invalid_request_error' },
  })

  test('a deliverable message is accepted, and sent', async () => {
    const [event, toOne, many] = [
      await send(order),
      await send({ message }),
      await send({ message: { ...message, to: [message.to, { email: 'bob@example.com' }] } }),
    ]
    expect([event.status, toOne.status, many.status]).toEqual([200, 202, 202])
    expect((await settled(client, event.json.messageId)).status).toBe('DELIVERED')
    expect((await settled(client, toOne.json.requestId)).status).toBe('DELIVERED')
    expect((await client.send(order, { strict: true })).messageId).toMatch(/^1-/)
  })

  describe('a 400 names what is wrong, and nothing is sent', () => {
    const unknownRecipient = { email: undefined, user_id: 'unknown' }
    test.each<[string, object, string]>([
      ['event', { ...order, event: 'oder' }, 'Unknown event `oder`. Did you mean `order`?'],
      ['template', { message: { ...message, template: 'oder' } }, 'Unknown template `oder`. Did you mean `order`?'],
      [
        'locale',
        { message: { ...message, to: { ...message.to, locale: 'german' } } },
        'The locale `german` is not a language, as `de` or `de-AT` is.',
      ],
      [
        'time zone',
        { ...order, profile: { ...order.profile, timezone: 'Europe/Berln' } },
        '`Europe/Berln`, the time zone of the recipient, does not exist, and is not used. Did you mean `Europe/Berlin`?',
      ],
      [
        'template beside a name of what happened',
        { message: { ...message, template: 'oder', metadata: { event: 'bought' } } },
        'Unknown template `oder`. Did you mean `order`?',
      ],
      [
        'element of its content',
        {
          message: {
            to: message.to,
            content: {
              version: '2022-01-01',
              elements: [
                { type: 'text', content: 'Pay' },
                { type: 'buton', content: 'Go' },
              ],
            },
          },
        },
        'elements.1: "buton" is not an element; it is left out. Did you mean `action`?',
      ],
      [
        'channel',
        { message: { ...message, routing: { method: 'single', channels: ['emial' as 'email'] } } },
        '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
      ],
      [
        'channel beside a known one',
        { message: { ...message, routing: { method: 'single', channels: ['emial', 'email'] } } },
        '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
      ],
      [
        'channel of settings',
        { message: { ...message, channels: { emial: { override: { subject: 'x' } } } } },
        '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
      ],
      [
        'provider',
        { message: { ...message, providers: { sengrid: { override: { body: {} } } } } },
        'Unknown provider `sengrid`. Did you mean `sendgrid`?',
      ],
      [
        'provider of an override',
        { ...order, override: { mailbx: { body: {} } } },
        'Unknown provider `mailbx`. Did you mean `mailbox`?',
      ],
      [
        'provider that a channel chooses, and the provider of a timeout',
        {
          message: {
            ...message,
            channels: { email: { providers: ['mailbox', 'smpt'] } },
            timeout: { provider: { smpt: 1 } },
          },
        },
        'Unknown provider `smpt` at message.timeout.provider. Did you mean `smtp`?' +
          ' `smpt` is neither a channel nor a provider with an integration. Did you mean `smtp`?',
      ],
      [
        'channel of an override',
        { ...order, override: { channel: { emial: {} } } },
        '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
      ],
      ['tenant', { message: { ...message, context: { tenant_id: 'acne' } } }, 'Unknown tenant `acne`.'],
      ['brand', { ...order, brand: 'acne' }, 'Unknown brand `acne`.'],
      ['brand of a channel', { message: { ...message, channels: { email: { brand_id: 'b' } } } }, 'Unknown brand `b`.'],
      ['topic', { message: { ...message, preferences: { subscription_topic_id: 'news' } } }, 'Unknown topic `news`.'],
      ['snippet', { ...order, event: 'signed', data: {} }, 'The brand has no snippet `signature`.'],
      ['field', { ...order, dta: {} }, 'Unknown field `dta`. Did you mean `data`?'],
      [
        'field of a message',
        { message: { ...message, dta: {} } },
        'Unknown field `dta` at message. Did you mean `data`?',
      ],
      ['field beside a message', { message, recipient: 'ada' }, 'Unknown field `recipient`.'],
      [
        'address',
        { ...order, recipient: 'unknown', profile: {} },
        'No usable address: email (Mailbox) needs `email` in the profile.',
      ],
      [
        'address under a name that is like one',
        { ...order, recipient: 'unknown', profile: { emial: 'ada@example.com' } },
        'No usable address: email (Mailbox) needs `email` in the profile (which has `emial`: did you mean `email`?).',
      ],
      [
        'key of a recipient that is like one of an address',
        { message: { ...message, to: { user_id: 'unknown', emial: 'ada@example.com' } } },
        'Unknown field `emial` at message.to. Did you mean `email`? ' +
          'No usable address: email (Mailbox) needs `email` in the profile (which has `emial`: did you mean `email`?).',
      ],
      [
        'address that is none',
        { ...order, profile: { email: 'ada' } },
        'No usable address: email (Mailbox) cannot use the `email` of the profile. ' +
          'The `email` of the profile, `ada`, is not an email address: it has no `@`.',
      ],
      [
        'telephone number that only the mailbox takes',
        {
          message: {
            to: { phone_number: '030 123456' },
            content: { title: 'x', body: 'x' },
            routing: { method: 'single', channels: ['sms'] },
          },
        },
        'The `phone_number` of the profile, `030 123456`, has no country code: ' +
          'write it in the place of the first `0`, such as `+49`.',
      ],
      ['variable', { ...order, data: { id: 7 } }, 'elements.1: The variable `{name}` has no value.'],
      [
        'variable of inline content, in opening hours that are closed',
        {
          message: {
            to: message.to,
            content: { title: 'Hi {name}', body: 'x' },
            routing: { method: 'single', channels: ['email'] },
            delay: { until: new Date().getUTCDay() === 1 ? 'Tu 10:00-11:00' : 'Mo 10:00-11:00' },
          },
        },
        'title: The variable `{name}` has no value.',
      ],
      [
        'recipient among many',
        { message: { ...message, to: [message.to, unknownRecipient] } },
        'Recipient 1: No usable address: email (Mailbox) needs `email` in the profile.',
      ],
      ['list', { message: { ...message, to: { list_id: 'l' } } }, 'Unknown list `l`.'],
      ['audience', { message: { ...message, to: { audience_id: 'a' } } }, 'Unknown audience `a`.'],
      ['tenant as recipients', { message: { ...message, to: { tenant_id: 't' } } }, 'Unknown tenant `t`.'],
    ])('%s', async (_what, body, problem) => {
      expect(await send(body)).toMatchObject(refused(problem))
    })

    test('an alias of a published template is near as well, one of a draft is not', async () => {
      const notification = { name: 'Reset', alias: 'password-reset', content: { title: 'Hi', body: 'Reset' } }
      await client.notifications.create({ notification, state: 'PUBLISHED' })
      expect(await send({ ...order, event: 'pasword-reset' })).toMatchObject(
        refused('Unknown event `pasword-reset`. Did you mean `password-reset`?'),
      )
      expect(await send({ ...order, event: 'drafd' })).toMatchObject(refused('Unknown event `drafd`.'))
      const { warnings } = await client.explain({ message: { ...message, template: 'oder' } })
      expect(warnings).toEqual(['Unknown template `oder`. Did you mean `order`?'])
      expect((await client.explain({ ...order, event: 'quite-another' })).warnings).toBeUndefined()
    })

    test('a notification that is not published', async () => {
      const { status, json } = await send({ ...order, event: 'draft' })
      expect([status, json.message]).toEqual([400, expect.stringMatching(/has no published version\.$/)])
    })

    test('all of it at once', async () => {
      const body = { ...order, brand: 'acne', data: { id: 7 }, dta: 1 }
      expect(await send(body)).toMatchObject(
        refused(
          'Unknown field `dta`. Did you mean `data`?',
          'Unknown brand `acne`.',
          'elements.1: The variable `{name}` has no value.',
        ),
      )
    })

    test('names that are wrong for whole lists, which recipients cannot be known of', async () => {
      await client.lists.put('readers', { name: 'Readers' })
      const to = { list_id: 'readers' }
      expect((await send({ message: { ...message, to } })).status).toBe(202)
      expect(await send({ message: { ...message, to, brand_id: 'b' } })).toMatchObject(refused('Unknown brand `b`.'))
    })
  })

  test('the error of the address of a stored profile is named, the address is not', async () => {
    await client.profiles.replace('stored', { profile: { email: 'ada(at)example' } })
    expect(await send({ ...order, recipient: 'stored', profile: {} })).toMatchObject(
      refused(
        'No usable address: email (Mailbox) cannot use the `email` of the profile. ' +
          'The `email` of the stored profile is not an email address: it has no `@`.',
      ),
    )
  })

  test('an unknown list, audience or tenant has a suggestion', async () => {
    await client.lists.put('newsletter', { name: 'News' })
    await client.tenants.put('acme', { name: 'Acme' })
    for (const [to, problem] of [
      [{ list_id: 'newsleter' }, 'Unknown list `newsleter`. Did you mean `newsletter`?'],
      [{ tenant_id: 'acne' }, 'Unknown tenant `acne`. Did you mean `acme`?'],
    ] as const)
      expect(await send({ message: { ...message, to } })).toMatchObject(refused(problem))
  })

  describe('a list and a bulk job are strict about what is wrong for every recipient', () => {
    const post = (path: string, body: unknown, query = '?strict=true') => app.call('POST', `${path}${query}`, { body })

    test('POST /send/list', async () => {
      await client.lists.put('strict', { name: 'Strict' })
      const body = { list: 'strict', event: 'order', data: { id: 1, name: 'you' } }
      expect((await post('/send/list', body)).status).toBe(200)
      expect(await post('/send/list', { ...body, list: 'none', event: 'oder', dta: {} })).toMatchObject(
        refused(
          'Unknown field `dta`. Did you mean `data`?',
          'Unknown list `none`.',
          'Unknown event `oder`. Did you mean `order`?',
        ),
      )
      expect((await post('/send/list', { ...body, event: 'oder' }, '')).status).toBe(200)
    })

    test('POST /bulk', async () => {
      expect((await post('/bulk', { message: { event: 'order', brand: null, data: {} } })).status).toBe(201)
      expect(await post('/bulk', { message: { event: 'oder', evnt: 'x' } })).toMatchObject(
        refused(
          'Unknown field `evnt` at message. Did you mean `event`?',
          'Unknown event `oder`. Did you mean `order`?',
        ),
      )
      const message = { template: 'order', routing: { method: 'single', channels: ['emial' as 'email'] }, dta: {} }
      expect(await post('/bulk', { message: { message } })).toMatchObject(
        refused(
          'Unknown field `dta` at message.message. Did you mean `data`?',
          '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
        ),
      )
      expect((await post('/bulk', { message: { event: 'oder' } }, '')).status).toBe(201)
    })
  })

  test('an opt-out and a condition are no mistakes', async () => {
    const preferences = { notifications: { order: { status: 'OPTED_OUT' } } }
    expect((await send({ ...order, preferences })).status).toBe(200)
    const channels = { email: { if: 'data.id === 8' } }
    expect((await send({ message: { ...message, channels } })).status).toBe(202)
  })

  test('the query beats the header, the header the setting of the environment', async () => {
    const wrong = { ...order, event: 'oder' }
    const [strict, lenient] = [{ prefer: 'respond-async, handling=strict' }, { prefer: 'handling=lenient' }]
    expect((await send(wrong, '')).status).toBe(200)
    expect((await send(wrong, '', strict)).status).toBe(400)
    expect((await send(wrong, '?strict')).status).toBe(400)
    expect((await send(wrong, '?strict=false', strict)).status).toBe(200)
    expect((await send(wrong, '?strict=true', lenient)).status).toBe(400)

    const set = await open({ env: { POSTRIDER_STRICT_SENDS: 'test' } })
    const { apiKey } = await set.key('published', 'test')
    const inTest = (query: string, headers = {}) => set.call('POST', `/send${query}`, { apiKey, body: wrong, headers })
    expect((await set.call('POST', '/send', { body: wrong })).status).toBe(200)
    expect((await inTest('')).status).toBe(400)
    expect((await inTest('', lenient)).status).toBe(200)
    expect((await inTest('?strict=false')).status).toBe(200)
  })

  test('an accepted send gets the same reply under its key, whatever has changed since; a rejected send frees the key', async () => {
    const headers = { 'idempotency-key': 'strict-1' }
    const body = { ...order, brand: 'later' }
    expect((await send(body, undefined, headers)).status).toBe(400)
    await client.brands.create({ id: 'later', name: 'Later', settings: {} })
    const first = await send(body, undefined, headers)
    expect(first.status).toBe(200)
    await client.brands.delete('later')
    const again = await send(body, undefined, headers)
    expect([again.status, again.json]).toEqual([200, first.json])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const other = { ...body, recipient: 'bea' }
    for (const query of [undefined, '']) expect((await send(other, query, headers)).status).toBe(409)
  })

  describe('a send that is not strict', () => {
    const delivered = async (body: Parameters<Postrider['send']>[0]) => {
      const reply = await app.call('POST', '/send', { body })
      return settled(client, reply.json.messageId ?? reply.json.requestId)
    }
    const findings = async (id: string) =>
      (await client.messages.history(id)).results.flatMap((event) =>
        'findings' in event && event.findings ? [[event.type, event.findings]] : [],
      )

    test('names a missing address', async () => {
      expect(await delivered({ ...order, recipient: 'unknown', profile: {} })).toMatchObject({
        status: 'UNROUTABLE',
        reason: 'INCOMPLETE_PROFILE_DATA',
        error: 'No usable address: email (Mailbox) needs `email` in the profile',
      })
    })

    test('names an unknown template or event', async () => {
      expect(await delivered({ message: { ...message, template: 'oder' } })).toMatchObject({
        status: 'UNMAPPED',
        error: 'Unknown template `oder`',
      })
      expect(await delivered({ ...order, event: 'oder' })).toMatchObject({
        status: 'UNMAPPED',
        error: 'Event not mapped to a notification: `oder`',
      })
    })

    test('may have keys of its own in a recipient; those that are like others are named beside the explanation', async () => {
      const to = { email: 'ada@example.com', favorite_color: 'red', emails: 2 }
      expect((await send({ message: { ...message, to } })).status).toBe(202)
      const others = { ...to, team_id: 't1', account: 'a', lists: 'l', local_id: 'l', email2: 'x', phone_number2: 'x' }
      expect(
        (await app.call('POST', '/send?strict=true', { body: { message: { ...message, to: others } } })).status,
      ).toBe(202)
      const misspelled = { emial: 'ada@example.com' } as MessageRecipient
      const explained = await client.explain({ message: { ...message, to: misspelled } })
      expect(explained.warnings).toEqual(['Unknown field `emial` at message.to. Did you mean `email`?'])
    })

    test('is explained as what it ends as, where no content can be made', async () => {
      const settings = { on_missing_variable: 'fail' as const }
      await publish(client, 'exact', {
        channels: ['email', 'inbox'],
        content: { title: 'Hi {name}', body: 'x' },
        settings,
      })
      const body = { event: 'exact', recipient: 'ada', profile: order.profile }
      const ending = {
        status: 'UNDELIVERABLE',
        reason: 'FAILED',
        error: 'elements.0: The variable `{name}` has no value',
      }
      expect((await client.explain(body)).decision).toEqual(ending)
      expect(await delivered(body)).toMatchObject(ending)
      expect((await client.explain({ ...body, data: { name: 'Ada' } })).decision).toEqual({ status: 'ROUTED' })
    })

    test('names an unknown channel, with a suggestion', async () => {
      const routing = { method: 'single' as const, channels: ['emial' as 'email'] }
      expect(await delivered({ message: { ...message, routing } })).toMatchObject({
        status: 'UNROUTABLE',
        reason: 'NO_CHANNELS',
        error: '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
      })
    })

    test('has an unknown tenant, brand and snippet in its history, and sends no mention of a snippet', async () => {
      const { id, status } = await delivered({
        message: { ...message, template: 'signed', context: { tenant_id: 'acne' }, brand_id: 'b' },
      })
      expect(status).toBe('DELIVERED')
      expect(await findings(id)).toEqual([
        ['PROFILE_LOADED', ['Unknown tenant `acne`.', 'Unknown brand `b`; the default is used.']],
        ['RENDERED', ['The brand has no snippet `signature`; it is left out.']],
      ])
      const { results } = await client.mailbox.list({ message_id: id })
      expect(JSON.stringify(results)).toContain('Words.')
      expect(JSON.stringify(results)).not.toContain('signature')
    })

    test('has elements that are left out and tags that cannot be read in its history, as in its explanation', async () => {
      const elements = [
        { type: 'TEXT', content: 'x' },
        { type: 'text', content: 'Hi {{name.}}' },
      ]
      // As a caller without types sends it.
      const inline = {
        to: message.to,
        content: { version: '2022-01-01', elements },
      } as object as MessageSendBody['message']
      const { id, status } = await delivered({ message: inline })
      expect(status).toBe('DELIVERED')
      const warnings = [
        'elements.0: "TEXT" is not an element; it is left out. Did you mean `text`?',
        'elements.1.content: `{{name.}}` is neither a variable nor a helper; write `\\{{` where braces are to be shown',
      ]
      expect(await findings(id)).toEqual([['RENDERED', warnings]])
      expect((await client.explain({ message: inline })).warnings).toEqual(warnings)
    })

    test('without mistakes has no findings', async () => {
      const { id } = await delivered(order)
      expect(await findings(id)).toEqual([])
    })
  })
})
