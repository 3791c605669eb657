/** Tracking: what of a message is rewritten, who opens and clicks it, and what criteria, automations and webhooks see of it. */
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { ticketForEach } from '../support/peers/expo.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const PUBLIC = 'https://notify.example.com'
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0',
}
const SHOP = 'https://shop.example.com/cart?id=7&b=a+b#top'
const content = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: 'Your order' },
    {
      type: 'text',
      content: `[The cart](${SHOP}), [help](https://shop.example.com/help), [mail](mailto:ada@example.com)`,
    },
    { type: 'action', content: 'Sign in', href: 'https://shop.example.com/sign-in?t=1', disable_tracking: true },
    { type: 'action', content: 'Unsubscribe', href: `${PUBLIC}/u/abc` },
  ],
}

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  // Ahead of the clock, so that an open is not within seconds of its send.
  let aheadMs = 0

  beforeAll(async () => {
    ;[app, peer] = await Promise.all([
      open({ env: { POSTRIDER_PUBLIC_URL: PUBLIC }, clock: { now: () => Date.now() + aheadMs } }),
      startRecorder(),
    ])
    client = app.client
    peer.answer('/email', { body: { ErrorCode: 0, Message: 'OK', MessageID: 'm1' } })
    peer.answer((request) => request.path.endsWith('/Messages.json'), { status: 201, body: { sid: 'SM1' } })
    await client.tracking.replace({ email: { open: true, click: true } })
    await Promise.all([
      integrate(client, {
        provider: 'postmark',
        settings: { serverToken: 't', fromAddress: 'a@example.com', webhookToken: 'w', baseUrl: peer.url },
      }),
      integrate(client, {
        provider: 'twilio',
        settings: { accountSid: 'AC1', authToken: 'a', from: '+12025550100', baseUrl: peer.url },
      }),
      publish(client, 'order', { content, channels: ['email'] }),
    ])
  })
  afterAll(() => peer.close())

  const to = { user_id: 'ada', email: 'ada@example.com', phone_number: '+12025550143' }
  const mailOf = async (id: string) => {
    const { body } = await peer.waitFor(({ path, body: sent }) => path === '/email' && sent.includes(id))
    const { HtmlBody: html, TextBody: text } = JSON.parse(body) as { HtmlBody: string; TextBody: string }
    const addresses = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url.replaceAll('&amp;', '&'))
    const paths = (of: string) =>
      addresses.filter((url) => url.startsWith(`${PUBLIC}/${of}/`)).map((url) => url.slice(PUBLIC.length))
    return { html, text, links: paths('r'), pixel: paths('o')[0] ?? '', addresses }
  }
  const send = async (message: object = {}) => {
    const { requestId: id } = await client.send({ message: { to, template: 'order', ...message } } as never)
    const mail = await mailOf(id)
    await settled(client, id)
    aheadMs += 3_000
    return { id, ...mail }
  }
  const get = (path: string, headers: Record<string, string> = BROWSER, method = 'GET') =>
    fetch(app.url + path, { headers, method, redirect: 'manual' })
  const when = (id: string, status: string) =>
    until(
      () => client.messages.get(id),
      (message) => message.status === status,
    )
  const events = async (id: string, type: 'OPENED' | 'CLICKED') =>
    (await client.messages.history(id, { type })).results as Record<string, unknown>[]

  test('links of a mail lead through the server, and back to their target, except those that must not', async () => {
    const { links, addresses, text } = await send()
    expect(links).toHaveLength(2)
    for (const kept of ['mailto:ada@example.com', 'https://shop.example.com/sign-in?t=1', `${PUBLIC}/u/abc`])
      expect(addresses).toContain(kept)
    expect(text).toContain(SHOP)
    const answer = await get(links[0]!)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, SHOP])
    expect(answer.headers.get('cache-control')).toContain('no-store')
    expect((await get(links[0]!.replace('/r/', '/t/'))).headers.get('location')).toBe(SHOP)
  })

  test('a pixel is a GIF that is not cached, and makes the message OPENED, once, with a webhook', async () => {
    const { id: hook } = await client.webhooks.create({ url: `${peer.url}/hook` })
    const { id, pixel } = await send()
    for (let times = 0; times < 3; times += 1) {
      const answer = await get(pixel)
      expect(answer.headers.get('content-type')).toBe('image/gif')
      expect(answer.headers.get('cache-control')).toContain('no-store')
      expect(
        Buffer.from(await answer.arrayBuffer())
          .subarray(0, 6)
          .toString(),
      ).toBe('GIF89a')
    }
    const { opened } = await when(id, 'OPENED')
    expect(await events(id, 'OPENED')).toMatchObject([{ ts: opened, integration: { provider: 'postmark' } }])
    await peer.waitFor(({ path, body }) => path === '/hook' && body.includes(id) && body.includes('"OPENED"'))
    await client.webhooks.delete(hook)

    // A receipt of delivery that comes later fills its time.
    const { results } = await client.providers.list()
    const { callback_url: callback = '' } = results.find(({ provider }) => provider === 'postmark')!
    const report = {
      RecordType: 'Delivery',
      DeliveredAt: new Date().toISOString(),
      Metadata: { delivery_id: `${id}-0` },
    }
    const received = await fetch(app.url + new URL(callback).pathname, {
      method: 'POST',
      body: JSON.stringify(report),
      headers: { 'x-postrider-token': 'w' },
    })
    expect(received.status).toBe(200)
    const later = await until(
      () => client.messages.get(id),
      ({ delivered }) => delivered !== undefined && delivered !== null,
    )
    expect(later).toMatchObject({ status: 'OPENED', opened })
  })

  test('each link that a person follows is in the history, once; a click counts as an open', async () => {
    const { id, links, pixel } = await send()
    await get(pixel)
    await get(links[0]!)
    aheadMs += 3_000
    await get(links[1]!)
    await get(links[1]!)
    const { clicked, opened } = await when(id, 'CLICKED')
    expect(opened).toBeLessThanOrEqual(clicked!)
    const followed = await until(
      () => events(id, 'CLICKED'),
      (events) => events.length === 2,
    )
    expect(followed).toMatchObject([{ url: SHOP }, { url: 'https://shop.example.com/help' }])
  })

  test('programs are distinguished: the status stays, and the history says why', async () => {
    const { id, links, pixel } = await send()
    await get(pixel, { 'user-agent': 'Mozilla/5.0' })
    await get(links[0]!, BROWSER, 'HEAD')
    const seen = await until(
      async () => [...(await events(id, 'OPENED')), ...(await events(id, 'CLICKED'))],
      (events) => events.length === 2,
    )
    expect(seen).toMatchObject([
      { type: 'OPENED', automated: true, automated_reason: 'privacy_proxy' },
      { type: 'CLICKED', automated: true, automated_reason: 'head' },
    ])
    expect(await client.messages.get(id)).toMatchObject({ status: 'SENT' })
    expect((await client.messages.get(id)).opened ?? null).toBeNull()
  })

  test('a scanner that follows every link as a browser does is found out, on whichever node', async () => {
    const { id, links } = await send({
      content: {
        version: '2022-01-01',
        elements: [{ type: 'text', content: '[a](https://a.example) [b](https://b.example) [c](https://c.example)' }],
      },
      template: undefined,
      routing: { method: 'single', channels: ['email'] },
    })
    aheadMs += 20_000
    for (const link of links) await get(link)
    const clicks = await until(
      () => events(id, 'CLICKED'),
      (events) => events.length > 0,
    )
    expect(clicks).toMatchObject([{ automated: true, automated_reason: 'burst' }])
    expect((await client.messages.get(id)).status).toBe('SENT')
  })

  test('forged, cut and foreign tokens lead nowhere', async () => {
    const { links, pixel } = await send()
    const [path = ''] = links
    const [payload = '', signature = ''] = path.slice('/r/'.length).split('.')
    const forged = Buffer.from(payload, 'base64url')
    forged.write('https://evil', 27)
    for (const bad of [
      ...[`/r/${forged.toString('base64url')}.${signature}`, path.slice(0, -3), '/r/x', '/t/x', '/o/x'],
      ...[
        path.replace('/r/', '/o/'),
        pixel.replace('/o/', '/r/'),
        `/r/${'x'.repeat(5_000)}`,
        '/r/https:%2F%2Fevil.example',
      ],
    ]) {
      const answer = await get(bad)
      expect([answer.status, answer.headers.get('location')], bad).toEqual([404, null])
    }
    for (const bad of ['/e/x', '/t/x']) {
      const answer = await fetch(app.url + bad, { method: 'POST', body: '{"event":"CLICKED"}' })
      expect([answer.status, await answer.json()]).toEqual([200, {}])
    }
    expect((await app.call('GET', '/metrics')).text).toMatch(
      /postrider_tracked_requests_total\{kind="clicked",outcome="unknown"\} [1-9]/,
    )
  })

  test('the message decides over the notification, and both over the workspace; parameters are added once', async () => {
    const off = { channels: { email: { override: { tracking: { open: false, click: false } } } } }
    const untracked = await send(off)
    expect([untracked.links, untracked.pixel]).toEqual([[], ''])

    const metadata = { utm: { source: 'post', campaign: 'a b' } }
    const { addresses, text } = await send({
      channels: { email: { ...off.channels.email, metadata: { utm: { source: 'mail' } } } },
      metadata,
    })
    const withParameters = 'https://shop.example.com/cart?id=7&b=a+b&utm_source=mail&utm_campaign=a%20b#top'
    expect(addresses).toContain(withParameters)
    expect(text).toContain(withParameters)
    expect(addresses).toContain('https://shop.example.com/sign-in?t=1')
    expect(addresses).toContain(`${PUBLIC}/u/abc`)

    const both = await send({ metadata })
    expect((await get(both.links[0]!)).headers.get('location')).toBe(
      'https://shop.example.com/cart?id=7&b=a+b&utm_source=post&utm_campaign=a%20b#top',
    )

    await publish(client, 'secret', {
      content,
      channels: ['email'],
      settings: { tracking: { email: { click: false } } },
    })
    const secret = await send({ template: 'secret' })
    expect(secret.links).toEqual([])
    expect(secret.pixel).not.toBe('')
  })

  test('an SMS is tracked only where it is switched on', async () => {
    const message = { to, content: { title: 'x', body: 'Track https://shop.example.com/7.' } }
    const sms = async (more: object) => {
      const routing = { method: 'single', channels: ['sms'] }
      const { requestId } = await client.send({ message: { ...message, routing, ...more } } as never)
      const { body } = await peer.waitFor(({ body: sent }) => sent.includes(requestId))
      return new URLSearchParams(body).get('Body')!
    }
    expect(await sms({})).toBe('Track https://shop.example.com/7.')
    const [, path = ''] =
      /^Track https:\/\/notify\.example\.com(\/r\/[\w.-]+)\.$/.exec(
        await sms({ channels: { sms: { override: { tracking: { click: true } } } } }),
      ) ?? []
    expect((await get(path)).headers.get('location')).toBe('https://shop.example.com/7')
    // Segments are counted as the text is sent.
    const { rendered } = await client.explain({
      message: {
        ...message,
        routing: { method: 'single', channels: ['sms'] },
        channels: { sms: { override: { tracking: { click: true } } } },
      },
    } as never)
    expect(rendered.find(({ channel }) => channel === 'sms')?.content.sms?.units).toBeGreaterThan(100)
  })

  test.each([
    ['discord', { botToken: 'b', baseUrl: '' }, { discord: { channel_id: '768866348853383208' } }],
    ['msteams', {}, { ms_teams: { incoming_webhook: { url: '' } } }],
  ])(
    'an address in a text to %s goes out as it stands, and its tracked link leads to all of it',
    async (provider, settings, profile) => {
      peer.answer(({ path }) => path.includes('hook-'), { body: { id: '1', channel_id: '2' } })
      const hook = `${peer.url}/hook-${provider}`
      const { id } = await integrate(client, {
        provider,
        settings: 'baseUrl' in settings ? { ...settings, baseUrl: hook } : { webhookUrl: hook },
      })
      const shop = 'https://my-shop.example.com/order_status?id=A_17-b'
      const body = `(https://my-shop.example.com/order_status?id={id}) for *{id}*`
      const sendBy = async (mark: string, channels: object) => {
        const channel = { channel: 'direct_message', method: 'single', providers: [id] }
        await client.send({
          message: {
            ...{
              to: { user_id: 'ada', ...profile },
              content: { title: '', body: `${mark} ${body}` },
              data: { id: 'A_17-b' },
            },
            ...{ routing: { method: 'single', channels: [channel] }, channels },
          },
        } as never)
        const request = await peer.waitFor(({ path, body: sent }) => path.includes('hook-') && sent.includes(mark))
        return /"(?:content|text)":"((?:[^"\\]|\\.)*)"/.exec(request.body)?.[1]?.replaceAll('\\\\', '\\')
      }
      expect(await sendBy(`plain${provider}`, {})).toBe(`plain${provider} \\(${shop}) for _A\\_17\\-b_`)
      const tracked = await sendBy(`tracked${provider}`, {
        direct_message: { override: { tracking: { click: true } } },
      })
      const [, link = ''] = /\\\(https:\/\/notify\.example\.com(\/r\/[\w.-]+)\) for/.exec(tracked ?? '') ?? []
      const answer = await get(link)
      expect([answer.status, answer.headers.get('location')]).toEqual([302, shop])
    },
  )

  test('an open reaches the criterion of a message, and the next channel is not used; a program does not', async () => {
    const escalating = {
      routing: { method: 'single', channels: ['email', 'sms'] },
      timeout: { criteria: 'viewed', escalation: 3_600_000 },
    }
    const start = async () => {
      const { requestId: id } = await client.send({ message: { to, template: 'order', ...escalating } } as never)
      return { id, ...(await mailOf(id)) }
    }
    const [viewed, scanned] = [await start(), await start()]
    await when(viewed.id, 'SENT')
    aheadMs += 5_000
    await get(viewed.pixel)
    await get(scanned.pixel, { 'user-agent': 'Mozilla/5.0' })
    await when(viewed.id, 'OPENED')
    await until(
      () => events(scanned.id, 'OPENED'),
      (events) => events.length === 1,
    )
    aheadMs += 3_600_000
    // Any write wakes the queue: the time of both has come.
    await send()
    await until(
      () => client.messages.get(scanned.id),
      ({ providers }) => providers?.length === 2,
    )
    expect((await client.messages.get(viewed.id)).providers).toHaveLength(1)
  })

  test('an automation sees that a message was opened', async () => {
    const mail = { message: { to, template: 'order' } }
    const { runId } = await client.automations.invoke({
      automation: {
        steps: [
          { action: 'send', ref: 'outreach', ...mail },
          { action: 'delay', duration: '1 hour' },
          { action: 'send', if: 'refs.outreach.status < MessageStatus.Opened', ...mail },
          { action: 'send', if: 'refs.outreach.status == MessageStatus.Opened', ref: 'thanks', ...mail },
        ],
      },
    } as never)
    const steps = async () => (await client.automations.steps(runId)).steps
    const [first] = await until(steps, (all) => all[1]?.status === 'WAITING')
    const id = first?.message_id ?? ''
    const { pixel } = await mailOf(id)
    aheadMs += 5_000
    await get(pixel)
    await when(id, 'OPENED')
    aheadMs += 3_600_000
    await client.automations.invoke({
      automation: { steps: [{ action: 'cancel', cancelation_token: 'none' }] },
    } as never)
    const ended = await until(steps, (all) => all[3]?.status === 'PROCESSED')
    expect(ended.map(({ status }) => status)).toEqual(['PROCESSED', 'PROCESSED', 'SKIPPED', 'PROCESSED'])
  })

  test('an app reports the events of a push', async () => {
    const { trackingUrl } = await pushData(client, peer)
    const post = (body: string) => fetch(app.url + new URL(trackingUrl.url).pathname, { method: 'POST', body })
    expect((await post('{"event":"UNREAD"}')).status).toBe(200)
    expect((await post('no json')).status).toBe(200)
    for (const event of ['DELIVERED', 'DELIVERED', 'CLICKED'])
      expect(await (await post(JSON.stringify({ event }))).json()).toEqual({})
    // One of them may wait for the commit of the delivery.
    const message = await until(
      () => client.messages.get(trackingUrl.id),
      ({ status, delivered }) => status === 'CLICKED' && typeof delivered === 'number',
    )
    expect(message).toMatchObject({ delivered: expect.any(Number), opened: message.clicked })
  })
})

async function pushData(client: Postrider, peer: Recorder) {
  await integrate(client, { provider: 'expo', settings: { baseUrl: peer.url } })
  peer.answer((request) => request.path.includes('push/send'), ticketForEach())
  const { requestId: id } = await client.send({
    message: {
      to: { expo: { token: 'ExponentPushToken[x]' } },
      content: { title: 'x', body: 'y' },
      routing: { method: 'single', channels: ['push'] },
      channels: { push: { override: { data: { a: 1 }, tracking: { open: true } } } },
    },
  } as never)
  const { body } = await peer.waitFor(({ body: sent }) => sent.includes('trackingUrl'))
  const [message] = [JSON.parse(body)].flat() as { data: { a: number; trackingUrl: string } }[]
  expect(message?.data.a).toBe(1)
  return { trackingUrl: { id, url: message!.data.trackingUrl } }
}
