/** A mistake that does not stop a message is said: in its history, by a code it is found by, and in its explanation. */
import type { FindingCode, Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { inForce, integrate, publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  beforeAll(async () => {
    app = await open()
    client = app.client
    await publish(client, 'order', { channels: ['email'], content: { title: 'Order {id}', body: 'Hello {name}' } })
    await publish(client, 'moved', { channels: ['email'], content: { title: 'Hi', body: 'To {profile.city}' } })
    await publish(client, 'signed', { channels: ['email'], content: { title: 'Hi', body: 'Words. {{>signature}}' } })
  })

  const to = { user_id: 'ada', email: 'ada@example.com' }
  const message = { to, template: 'order', data: { id: 7, name: 'Ada' } }
  const sent = async (body: object) => {
    const reply = await app.call('POST', '/send', { body })
    return settled(client, reply.json.messageId ?? reply.json.requestId)
  }
  const words = async (id: string) =>
    (await client.messages.history(id)).results.flatMap((event) =>
      'findings' in event && event.findings ? [[event.type, ...event.findings]] : [],
    )
  const listed = async (...finding: FindingCode[]) => {
    const { results } = await client.messages.list({ finding, limit: 100 })
    return results.map(({ id }) => id)
  }

  test('an address that no reader can follow is found, also of the data, and refused by a strict send', async () => {
    const end = 'is not an address with `https://`, `http://`, `mailto:`, `tel:` or `sms:`; it is left out.'
    for (const [href, data] of [
      ['shop.example/pay', {}],
      ['{url}', { url: 'shop.example/pay' }],
    ] as const) {
      const content = { elements: [{ type: 'action', content: 'Pay', href }] }
      const body = { message: { to, content, data } }
      const { id, findings } = await sent(body)
      expect([findings, await words(id)]).toEqual([
        ['content_altered'],
        [['RENDERED', `elements.0: \`shop.example/pay\` ${end}`]],
      ])
      const strict = await app.call('POST', '/send', { body, headers: { prefer: 'handling=strict' } })
      expect([strict.status, strict.json.message]).toEqual([400, expect.stringContaining('`shop.example/pay` is not')])
    }
  })

  test('a field of an element without effect refuses a strict send of that content, and none of a template', async () => {
    const elements = [{ type: 'text', content: 'Hi', colr: 'red' }]
    await publish(client, 'plain', { channels: ['email'], content: { version: '2022-01-01', elements } })
    const strict = (message: object) =>
      app.call('POST', '/send', { body: { message: { to, ...message } }, headers: { prefer: 'handling=strict' } })
    const refused = await strict({ content: { elements } })
    expect([refused.status, refused.json.message]).toEqual([400, expect.stringContaining('`colr` is not a field')])
    expect((await strict({ template: 'plain' })).status).toBe(202)
  })

  test.each<[FindingCode, object, string[]]>([
    [
      'element_field_ignored',
      { message: { to, content: { elements: [{ type: 'text', content: 'Hi', colr: 'red' }] } } },
      ['RENDERED', 'elements.0: `colr` is not a field of a `text` element, and has no effect. Did you mean `color`?'],
    ],
    [
      'variable_missing',
      { message: { ...message, data: { id: 7 } } },
      ['RENDERED', 'elements.1: `{name}` has no value: the recipient reads `{name}`.'],
    ],
    [
      'variable_empty',
      { event: 'moved', recipient: 'ada', profile: { email: to.email, city: '' } },
      ['RENDERED', '`{profile.city}` is empty in the profile: it is left out.'],
    ],
    [
      'time_zone_unknown',
      { message: { ...message, to: { ...to, timezone: 'Europe/Berln' } } },
      [
        'PROFILE_LOADED',
        '`Europe/Berln`, the time zone of the recipient, does not exist, and is not used. Did you mean `Europe/Berlin`?',
      ],
    ],
    [
      'locale_unknown',
      { message: { ...message, to: { ...to, locale: 'german' } } },
      ['RENDERED', 'The locale `german` is not a language, as `de` or `de-AT` is.'],
    ],
    [
      'time_zone_unknown',
      { message: { ...message, delay: { until: 'Mo-Su 00:00-24:00', timezone: 'Europe/Berln' } } },
      [
        'ENQUEUED',
        '`Europe/Berln`, the time zone in `message.delay.timezone`, does not exist, and is not used. Did you mean `Europe/Berlin`?',
      ],
    ],
    [
      'field_ignored',
      { event: 'order', recipient: 'ada', profile: { email: to.email }, data: { id: 7, name: 'Ada' }, brnd: 'acme' },
      ['ENQUEUED', 'Unknown field `brnd`. Did you mean `brand`?'],
    ],
    [
      'field_ignored',
      { message: { ...message, providers: { smpt: {} }, timeout: { channel: { emial: 1_000 } } } },
      [
        'ENQUEUED',
        'Unknown provider `smpt`. Did you mean `smtp`?',
        'Unknown channel `emial` at message.timeout.channel. Did you mean `email`?',
      ],
    ],
    [
      'field_ignored',
      { message: { to, content: { titel: 'Hi', body: 'There' } } },
      ['ENQUEUED', 'Unknown field `titel` at message.content. Did you mean `title`?'],
    ],
    [
      'tenant_unknown',
      { message: { ...message, context: { tenant_id: 'acne' } } },
      ['PROFILE_LOADED', 'Unknown tenant `acne`.'],
    ],
    [
      'route_name_unknown',
      { message: { ...message, routing: { method: 'single', channels: ['emial', 'email'] } } },
      ['PROFILE_LOADED', '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?'],
    ],
    [
      'brand_unknown',
      { message: { ...message, brand_id: 'b' } },
      ['PROFILE_LOADED', 'Unknown brand `b`; the default is used.'],
    ],
    [
      'snippet_missing',
      { message: { ...message, template: 'signed' } },
      ['RENDERED', 'The brand has no snippet `signature`; it is left out.'],
    ],
    [
      'mail_large',
      { message: { to, content: { title: 'Hi', body: 'word '.repeat(30_000) } } },
      [
        'RENDERED',
        expect.stringMatching(/^The HTML of the email has \d+ kB: Gmail shows 102 kB and cuts off the rest\.$/),
      ],
    ],
    [
      'element_unknown',
      {
        message: {
          to,
          content: {
            version: '2022-01-01',
            elements: [
              { type: 'text', content: 'Hi' },
              { type: 'buton', content: 'Pay' },
            ],
          },
        },
      },
      ['RENDERED', 'elements.1: "buton" is not an element; it is left out. Did you mean `action`?'],
    ],
    [
      'content_altered',
      { message: { to, content: { version: '2022-01-01', elements: [{ type: 'action', content: 'Pay' }] } } },
      ['RENDERED', 'elements.0: an action without href is shown as text.'],
    ],
    [
      'links_empty',
      { message: { to, content: { title: 'Hi', body: 'Leave: {unsubscribe_url}' } } },
      ['RENDERED', expect.stringContaining('which are empty: the server has no public address.')],
    ],
    ['template_unknown', { message: { ...message, template: 'oder' } }, ['UNMAPPED', 'Unknown template `oder`.']],
    [
      'event_unknown',
      { event: 'oder', recipient: 'ada' },
      ['UNMAPPED', 'No notification is mapped to the event `oder`.'],
    ],
  ])('%s', async (code, body, ...history) => {
    const settledMessage = await sent(body)
    expect(settledMessage.findings).toEqual([code])
    expect(await words(settledMessage.id)).toEqual(history)
    expect(await listed(code)).toContain(settledMessage.id)
    const others = await listed(code === 'mail_large' ? 'brand_unknown' : 'mail_large')
    expect(others).not.toContain(settledMessage.id)
  })

  test.each(['of the template', 'of the workspace'])(
    'a variable without a value that ends a message, by the setting %s',
    async (place) => {
      const settings = { on_missing_variable: 'fail' as const }
      const isOfTemplate = place === 'of the template'
      const content = { title: 'Hi', body: 'Hello {name}' }
      if (isOfTemplate) await publish(client, 'strict', { channels: ['email'], content, settings })
      else await client.settings.update(settings)
      const template = isOfTemplate ? 'strict' : 'order'
      const failed = await sent({
        message: { to, template, data: { id: 7 }, routing: { method: 'single', channels: ['email'] } },
      })
      if (!isOfTemplate) await client.settings.update({ on_missing_variable: 'keep' })
      expect(failed).toMatchObject({ status: 'UNDELIVERABLE', findings: ['variable_missing'] })
      expect(failed.error).toContain('The variable `{name}` has no value')
      expect(await listed('variable_missing')).toContain(failed.id)
    },
  )

  test('a message that is never rendered says its mistakes once, in words', async () => {
    const lost = await sent({
      message: {
        ...{
          ...message,
          preferences: { subscription_topic_id: 'T-none' },
          brand_id: 'b',
          context: { tenant_id: 'acne' },
        },
        routing: { method: 'single', channels: ['Emial'] },
      },
    })
    const codes: FindingCode[] = ['tenant_unknown', 'topic_unknown', 'route_name_unknown', 'brand_unknown']
    expect(lost).toMatchObject({ status: 'UNROUTABLE', findings: codes })
    expect(await words(lost.id)).toEqual([
      [
        'PROFILE_LOADED',
        ...['Unknown tenant `acne`.', 'Unknown topic `T-none`.'],
        '`Emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
        'Unknown brand `b`; the default is used.',
      ],
    ])
  })

  test('a message without a version of its template, or without a template, says all its mistakes', async () => {
    const { id } = await client.notifications.create({
      notification: {
        name: 'Draft',
        routing: { method: 'single', channels: ['email'] },
        content: { title: 'Hi', body: 'Hi' },
      },
    })
    const context = { tenant_id: 'acne' }
    const unpublished = await sent({ message: { ...message, template: id, context } })
    expect(unpublished).toMatchObject({
      status: 'UNROUTABLE',
      findings: ['notification_unpublished', 'tenant_unknown'],
    })
    expect(await words(unpublished.id)).toEqual([
      ['MAPPED', `The notification \`${id}\` has no published version.`, 'Unknown tenant `acne`.'],
    ])
    const unmapped = await sent({ message: { ...message, template: 'oder', context } })
    expect(unmapped).toMatchObject({ status: 'UNMAPPED', findings: ['template_unknown', 'tenant_unknown'] })
    expect(await words(unmapped.id)).toEqual([['UNMAPPED', 'Unknown template `oder`.', 'Unknown tenant `acne`.']])
  })

  test('a message that its first decision holds says its mistakes while it waits', async () => {
    await client.settings.update({ hold_misconfigured: true })
    const settings = { accountSid: 'AC1', authToken: 'x', from: '+4915112345678' }
    const sms = await integrate(client, { provider: 'twilio', settings })
    await client.providers.update(sms.id, { provider: 'twilio', enabled: false })
    await inForce(client, { ...sms, enabled: false })
    const body = {
      message: {
        ...{ ...message, to: { user_id: 'ada', phone_number: '+4915112345679' }, brand_id: 'b' },
        routing: { method: 'single', channels: ['sms', 'emial'] },
      },
    }
    const { requestId } = (await app.call('POST', '/send', { body })).json
    const waiting = await until(
      () => client.messages.get(requestId),
      ({ status }) => status !== 'ENQUEUED',
    )
    expect(waiting).toMatchObject({ status: 'HELD', findings: ['route_name_unknown', 'brand_unknown'] })
    expect(await words(requestId)).toEqual([
      [
        'HELD',
        '`emial` is neither a channel nor a provider with an integration. Did you mean `email`?',
        'Unknown brand `b`; the default is used.',
      ],
    ])
    await client.messages.cancel(requestId)
    await client.providers.delete(sms.id)
    await client.settings.update({ hold_misconfigured: false })
  })

  test('more mistakes than sentences are kept: each code stays, and a list of names is said once', async () => {
    const others = Object.fromEntries(Array.from('abcdefghijk', (letter) => [`${letter}zzzzzzz`, 1]))
    const { id, findings } = await sent({
      message: { ...message, ...others, delay: { until: 'Mo-Su 00:00-24:00', timezone: 'Mars' } },
    })
    expect(findings).toEqual(['field_ignored', 'time_zone_unknown'])
    const [[type, ...sentences] = []] = await words(id)
    expect([type, sentences.length]).toEqual(['ENQUEUED', 11])
    expect(sentences.filter((sentence) => sentence.includes('`Mars`'))).toHaveLength(1)
    expect(sentences.filter((sentence) => sentence.includes('`template`'))).toHaveLength(1)
  })

  test('each message of a send to many has the mistakes of its call, and an explanation repeats them', async () => {
    const users = [to, { user_id: 'bea', email: 'bea@example.com' }]
    const reply = await app.call('POST', '/send', { body: { message: { ...message, to: users, tmplate: 'x' } } })
    const sentence = 'Unknown field `tmplate` at message. Did you mean `template`?'
    expect(JSON.parse(reply.headers.get('postrider-warnings') ?? '')).toEqual([sentence])
    const { results } = await until(
      () => client.messages.list({ traceId: reply.json.requestId, finding: ['field_ignored'] }),
      (page) => page.results.length === users.length,
    )
    for (const { id } of results) {
      await settled(client, id)
      expect(await words(id)).toEqual([['ENQUEUED', sentence]])
      expect((await client.messages.explain(id)).warnings).toEqual([sentence])
    }
  })

  test('findings choose the messages of a replay', async () => {
    const { id } = await sent({ message: { ...message, data: {}, metadata: { tags: ['again'] } } })
    const filter = { tag: ['again'], finding: ['variable_missing' as const] }
    expect(await client.replays.create({ filter })).toMatchObject({ replayable: 1 })
    expect((await client.messages.get(id)).findings).toEqual(['variable_missing'])
    const none = { ...filter, finding: ['mail_large' as const] }
    expect(await client.replays.create({ filter: none })).toMatchObject({ replayable: 0 })
  })
})
