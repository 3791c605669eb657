/** Receipts: providers report the results of a message, signed, in any order; what they report is its status, its history and a webhook. */
import { createHash, createHmac } from 'node:crypto'
import type { IntegrationId, Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sendAndSettle, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const authToken = 'twilio-auth-token'

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder

  beforeAll(async () => {
    // A provider reaches the server under this name; here its path is enough.
    ;[app, peer] = await Promise.all([
      open({ env: { POSTRIDER_PUBLIC_URL: 'https://notify.example.com' } }),
      startRecorder(),
    ])
    client = app.client
    peer.answer((request) => request.path.endsWith('/Messages.json'), { status: 201, body: { sid: 'SM1' } })
    await integrate(client, {
      provider: 'twilio',
      settings: { accountSid: 'AC1', authToken, from: '+12025550100', baseUrl: peer.url },
    })
    await publish(client, 'code', { channels: ['sms'] })
  })
  afterAll(() => peer.close())

  const send = async (recipient: string, phone = '+12025550143') => {
    const { id } = await sendAndSettle(client, {
      event: 'code',
      recipient,
      profile: { phone_number: phone },
      data: { for: recipient },
    })
    const { body } = await peer.waitFor(
      ({ body: form }) => new URLSearchParams(form).get('StatusCallback')?.includes(id) === true,
    )
    return { id, callback: new URLSearchParams(body).get('StatusCallback')! }
  }

  /** As Twilio signs it, sent to this server. */
  const report = (callback: string, fields: Record<string, string>, token = authToken) => {
    const signed = Object.keys(fields)
      .sort()
      .reduce((text, name) => text + name + fields[name], callback)
    const { pathname, search } = new URL(callback)
    return fetch(`${app.url}${pathname}${search}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { 'x-twilio-signature': createHmac('sha1', token).update(signed).digest('base64') },
    })
  }
  const messageWhen = (id: string, status: string) =>
    until(
      () => client.messages.get(id),
      (message) => message.status === status,
    )

  test('a message is DELIVERED when its provider says so, in its history and to webhooks, too', async () => {
    const { id: hook } = await client.webhooks.create({ url: `${peer.url}/hook` })
    const { id, callback } = await send('ada')
    expect(callback).toMatch(/^https:\/\/notify\.example\.com\/callbacks\/[\w.-]+\?delivery=/)
    const answer = await report(callback, { MessageStatus: 'delivered', MessageSid: 'SM1' })
    expect([answer.status, await answer.text()]).toEqual([200, ''])
    const message = await messageWhen(id, 'DELIVERED')
    expect(message.delivered).toBeGreaterThan(0)
    expect(message.providers).toMatchObject([{ provider: 'twilio', status: 'DELIVERED', delivered: message.delivered }])
    const { results } = await client.messages.history(id)
    expect(results.slice(-2)).toMatchObject([
      { type: 'SENT', integration: { provider: 'twilio' } },
      { type: 'DELIVERED', integration: { provider: 'twilio' }, reference: { sid: 'SM1' } },
    ])
    const called = await peer.waitFor(
      ({ path, body }) => path === '/hook' && JSON.parse(body).data.status === 'DELIVERED',
    )
    expect(JSON.parse(called.body).data.id).toBe(id)
    await client.webhooks.delete(hook)
  })

  test('a number that does not exist makes it UNDELIVERABLE, and a repeated or late report changes nothing', async () => {
    const { id, callback } = await send('bob', '+12025550199')
    const gone = { To: '+12025550199', MessageStatus: 'undelivered', ErrorCode: '30005', MessageSid: 'SM1' }
    for (let times = 0; times < 3; times += 1) expect((await report(callback, gone)).status).toBe(200)
    const message = await messageWhen(id, 'UNDELIVERABLE')
    expect(message).toMatchObject({ reason: 'BOUNCED', reasonCode: 'HARD', error: 'Twilio reported an error (30005)' })
    const { results } = await client.messages.history(id, { type: 'UNDELIVERABLE' })
    expect(results).toMatchObject([{ reason: 'BOUNCED', reasonCode: 'HARD' }])
    const suppressed = await client.suppressions.list({ kind: 'phone_number' })
    expect(suppressed.results).toMatchObject([
      { address: '+12025550199', reason: 'invalid_address', source: 'provider/twilio', message_id: id },
    ])
    const profile = { phone_number: '+1 202-555-0199' }
    await until(
      () => sendAndSettle(client, { event: 'code', recipient: 'bob', profile }),
      ({ status, reason }) => status === 'UNDELIVERABLE' && reason === 'SUPPRESSED',
    )
  })

  test('a report that is forged, unsigned or for an address that was never given out changes nothing', async () => {
    const { id, callback } = await send('cyd')
    const delivered = { MessageStatus: 'delivered' }
    const forged = await report(callback, delivered, 'another-token')
    expect([forged.status, await forged.json()]).toMatchObject([
      403,
      { type: 'authorization_error', code: 'invalid_signature' },
    ])
    const { pathname } = new URL(callback)
    const token = pathname.split('/').at(-1)!
    const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
    for (const path of [`/callbacks/${other}`, '/callbacks/x', `/callbacks/${'x'.repeat(900)}`]) {
      const url = `https://notify.example.com${path}?delivery=${id}-0`
      expect((await report(url, delivered)).status, path).toBe(404)
    }
    expect((await app.call('GET', '/metrics')).text).toMatch(
      /postrider_callbacks_total\{provider="twilio",outcome="refused"\} [1-9]/,
    )
    expect((await client.messages.get(id)).status).toBe('SENT')
  })

  test('a report by the callback of another integration changes nothing, and suppresses nothing', async () => {
    const webhookToken = 'postmark-webhook-token'
    const { id: other } = await integrate(client, {
      provider: 'postmark',
      settings: { serverToken: 'x', fromAddress: 'a@example.com', webhookToken, baseUrl: peer.url },
    })
    const { callback_url: url = '' } = await client.providers.get(other)
    const { id, callback } = await send('eve', '+12025550177')
    const bounce = {
      ...{ RecordType: 'Bounce', Type: 'HardBounce', Email: 'eve@example.com', BouncedAt: new Date().toISOString() },
      Metadata: { delivery_id: `${id}-0` },
    }
    const answer = await fetch(app.url + new URL(url).pathname, {
      method: 'POST',
      body: JSON.stringify(bounce),
      headers: { 'x-postrider-token': webhookToken },
    })
    expect(answer.status).toBe(200)
    // Receipts are applied in their order.
    await report(callback, { MessageStatus: 'delivered', MessageSid: 'SM1' })
    await messageWhen(id, 'DELIVERED')
    expect((await client.messages.history(id, { type: 'UNDELIVERABLE' })).results).toEqual([])
    expect((await client.suppressions.list({ kind: 'email' })).results).toEqual([])
  })

  test('a report that names another address than that of the delivery suppresses none', async () => {
    const { id, callback } = await send('fay', '+12025550166')
    const gone = { MessageStatus: 'undelivered', ErrorCode: '30005', MessageSid: 'SM1' }
    await report(callback, { ...gone, To: '+12025550165' })
    await messageWhen(id, 'UNDELIVERABLE')
    const suppressed = async (address: string) => (await client.suppressions.list({ address })).results
    expect(await suppressed('+12025550165')).toEqual([])
    await report(callback, { ...gone, To: '+12025550166' })
    await until(
      () => suppressed('+12025550166'),
      ({ length }) => length === 1,
    )
  })

  test.each([
    ['the channel', 'ida', { cc: 'jon@example.com' }, {}],
    ['the provider', 'ian', {}, { body: { Cc: 'jon@example.com' } }],
  ])('a report about a copy by %s decides nothing about the message', async (_by, name, override, ofProvider) => {
    const webhookToken = 'postmark-copies-token'
    peer.answer((request) => request.path.endsWith('/email'), {
      body: { ErrorCode: 0, Message: 'OK', MessageID: 'p-1' },
    })
    const { id: integration } = await integrate(client, {
      provider: 'postmark',
      settings: { serverToken: 'x', fromAddress: 'a@example.com', webhookToken, baseUrl: peer.url },
    })
    const { callback_url: url = '' } = await client.providers.get(integration)
    const { requestId: id } = await client.send({
      message: {
        to: { email: `${name.toUpperCase()}@example.com` },
        content: { title: 'Hi', body: 'Hi' },
        channels: { email: { providers: [integration as IntegrationId], override } },
        providers: { postmark: { override: ofProvider } },
      },
    })
    await messageWhen(id, 'SENT')
    const reportOf = async (RecordType: string, address: string, fields: object) => {
      const event = { RecordType, Email: address, Recipient: address, Metadata: { delivery_id: `${id}-0` }, ...fields }
      const answer = await fetch(app.url + new URL(url).pathname, {
        method: 'POST',
        body: JSON.stringify(event),
        headers: { 'x-postrider-token': webhookToken },
      })
      expect(answer.status).toBe(200)
    }
    const at = new Date().toISOString()
    await reportOf('Bounce', 'jon@example.com', { Type: 'HardBounce', BouncedAt: at })
    await reportOf('SpamComplaint', 'jon@example.com', { BouncedAt: at })
    await reportOf('Delivery', 'jon@example.com', { DeliveredAt: at })
    await reportOf('Open', 'jon@example.com', { ReceivedAt: at, FirstOpen: true })
    // Receipts are applied in their order.
    await reportOf('Delivery', `${name}@example.com`, { DeliveredAt: at })
    await messageWhen(id, 'DELIVERED')
    const { results } = await client.messages.history(id)
    const ofReports = ['UNDELIVERABLE', 'COMPLAINED', 'OPENED', 'DELIVERED']
    expect(results.map(({ type }) => type).filter((type) => ofReports.includes(type))).toEqual(['DELIVERED'])
    for (const address of [`${name}@example.com`, 'jon@example.com'])
      expect((await client.suppressions.list({ address })).results).toEqual([])
  })

  test('a signature of Mailgun is used once, by all integrations of the account: with another event it has no effect', async () => {
    const webhookSigningKey = 'mailgun-signing-key'
    peer.answer((request) => request.path.endsWith('/mg.example.com/messages'), { body: { id: '<1@mg.example.com>' } })
    const domain = { domain: 'mg.example.com', fromAddress: 'a@mg.example.com', baseUrl: peer.url }
    const settings = { apiKey: 'x', ...domain, webhookSigningKey }
    const { id: other } = await integrate(client, { provider: 'mailgun', settings })
    const { id: integration } = await integrate(client, { provider: 'mailgun', settings })
    const [{ callback_url: url = '' }, { callback_url: otherUrl = '' }] = await Promise.all([
      client.providers.get(integration),
      client.providers.get(other),
    ])
    const sendMail = async (email: string) => {
      const channels = { email: { providers: [integration as IntegrationId] } }
      const message = { to: { email }, content: { title: 'Hi', body: 'Hi' }, channels }
      const { requestId } = await client.send({ message })
      await messageWhen(requestId, 'SENT')
      return { id: requestId, recipient: email }
    }
    const timestamp = Math.floor(Date.now() / 1_000)
    const reportWith = async (
      token: string,
      event: string,
      { id, recipient }: { id: string; recipient: string },
      to = url,
    ) => {
      const signature = createHmac('sha256', webhookSigningKey).update(`${timestamp}${token}`).digest('hex')
      const answer = await fetch(app.url + new URL(to).pathname, {
        method: 'POST',
        body: JSON.stringify({
          signature: { timestamp, token, signature },
          'event-data': { event, recipient, timestamp, 'user-variables': { delivery_id: `${id}-0` } },
        }),
      })
      expect([answer.status, await answer.text()]).toEqual([200, ''])
    }
    const [gil, hal] = [await sendMail('gil@example.com'), await sendMail('hal@example.com')]
    // The same event may come at another integration of the account first, which did not make the delivery.
    await reportWith('t1', 'delivered', gil, otherUrl)
    await reportWith('t1', 'delivered', gil)
    await messageWhen(gil.id, 'DELIVERED')
    await Promise.all([reportWith('t2', 'delivered', gil), reportWith('t2', 'delivered', gil)])
    await reportWith('t1', 'complained', hal)
    await reportWith('t2', 'complained', hal, otherUrl)
    await reportWith('t1', 'complained', gil)
    await reportWith('t3', 'delivered', hal)
    await messageWhen(hal.id, 'DELIVERED')
    expect((await client.messages.history(hal.id, { type: 'COMPLAINED' })).results).toEqual([])
    expect((await client.suppressions.list({ kind: 'email' })).results).toEqual([])
  })

  test('a provider that reports by GET is received as one that posts', async () => {
    const signingKey = 'bird-signing-key'
    peer.answer((request) => request.path.endsWith('/messages'), { status: 201, body: { id: 'm1' } })
    await integrate(client, {
      provider: 'messagebird',
      settings: { accessKey: 'bird', originator: 'Postrider', signingKey, baseUrl: peer.url },
    })
    const { requestId: id } = await client.send({
      message: {
        to: { phone_number: '+12025550144' },
        template: 'code',
        data: { for: 'dee' },
        routing: { method: 'single', channels: ['sms'] },
        channels: { sms: { providers: ['messagebird'] } },
      },
    })
    const { body } = await peer.waitFor(({ path, body: sent }) => path.endsWith('/messages') && sent.includes(id))
    const { reportUrl, reference } = JSON.parse(body)
    const reported = new URLSearchParams({ reference, status: 'delivered', recipient: '12025550144' })
    const { pathname } = new URL(reportUrl)
    const get = (key: string) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const urlHash = createHash('sha256').update(`${reportUrl}?${reported}`).digest('hex')
      const parts = `${part({ alg: 'HS256' })}.${part({ nbf: Math.floor(Date.now() / 1_000), url_hash: urlHash })}`
      const token = `${parts}.${createHmac('sha256', key).update(parts).digest('base64url')}`
      return fetch(`${app.url}${pathname}?${reported}`, { headers: { 'messagebird-signature-jwt': token } })
    }
    expect((await get('another')).status).toBe(403)
    expect((await get(signingKey)).status).toBe(200)
    await messageWhen(id, 'DELIVERED')
  })

  test('STOP suppresses the number, START lifts that, HELP is answered once, and webhooks get every text', async () => {
    const { results } = await client.providers.list()
    const { id, callback_url: callback = '' } = results.find(({ provider }) => provider === 'twilio')!
    await client.providers.update(id, {
      provider: 'twilio',
      settings: { helpText: 'Acme: mail help@example.com' },
    } as never)
    const { id: hook } = await client.webhooks.create({ url: `${peer.url}/texts`, types: ['sms:received'] })
    const phone = '+12025550177'
    const textIn = async (Body: string, From = phone, MessageSid = `SM-${Body}`) => {
      const fields = { SmsStatus: 'received', MessageSid, From, To: '+12025550100', Body }
      expect((await report(callback, fields)).status).toBe(200)
    }
    const suppressed = async () => (await client.suppressions.list({ address: phone })).results
    const next = () => sendAndSettle(client, { event: 'code', recipient: 'stop', profile: { phone_number: phone } })
    const sentTo = () => peer.all.filter(({ body }) => body.includes('2025550177') && body.includes('help%40'))

    expect((await report(callback, { SmsStatus: 'received', From: phone, Body: 'STOP' }, 'forged')).status).toBe(403)
    expect(await suppressed()).toEqual([])
    for (const text of ['Help', 'INFO']) await textIn(text)
    await until(
      async () => sentTo().length,
      (count) => count > 0,
    )
    await textIn('Stop.')
    await textIn('STOP')
    const [entry, ...others] = await suppressed()
    expect(others).toEqual([])
    expect(entry).toMatchObject({ reason: 'unsubscribed', source: 'inbound/twilio', address: phone })
    await until(next, ({ status, reason }) => status === 'UNDELIVERABLE' && reason === 'SUPPRESSED')
    await textIn('start')
    expect(await suppressed()).toEqual([])
    // A text that comes again has no effect: Twilio signs no time.
    await textIn('STOP')
    // Nor without its id: Twilio signs names and values without separators.
    const anonymous = { SmsStatus: 'received', 'MessageSidSM-STOP': '', From: phone, To: '+12025550100', Body: 'STOP' }
    expect((await report(callback, anonymous)).status).toBe(200)
    expect(await suppressed()).toEqual([])
    await until(next, ({ status }) => status === 'SENT')
    await textIn('STOP', phone, 'SM-again')
    await textIn('start')
    expect(await suppressed()).toMatchObject([{ reason: 'unsubscribed' }])
    await textIn('start', phone, 'SM-start-again')
    // An entry of an operator stays.
    await client.suppressions.add({ suppressions: [{ address: phone }] })
    await textIn('START')
    expect(await suppressed()).toMatchObject([{ reason: 'manual' }])
    await textIn('See you at five', 'SHORTY')
    const texts = await until(
      async () => peer.all.filter(({ path }) => path === '/texts').map(({ body }) => JSON.parse(body).data),
      (all) => all.length === 9,
    )
    const common = { to: '+12025550100', provider: 'twilio', integration: id, received: expect.any(Number) }
    expect(texts).toContainEqual({ ...common, id: 'SM-Stop.', from: phone, text: 'Stop.', keyword: 'stop' })
    expect(texts).toContainEqual({ ...common, id: 'SM-See you at five', from: 'SHORTY', text: 'See you at five' })
    expect(sentTo()).toHaveLength(1)
    // The erasure of the person takes the texts of the number along, and no others.
    await client.profiles.replace('texter', { profile: { phone_number: phone } })
    await client.profiles.delete('texter', { erase: true })
    expect((await client.webhooks.deliveries(hook)).results).toHaveLength(1)
    await client.webhooks.delete(hook)
  })

  test('the address of an integration is shown where its provider has callbacks', async () => {
    const { results } = await client.providers.list()
    expect(results.find(({ provider }) => provider === 'twilio')?.callback_url).toMatch(
      /^https:\/\/notify\.example\.com\/callbacks\//,
    )
    expect(results.find(({ provider }) => provider === 'mailbox')).not.toHaveProperty('callback_url')
  })

  test('where a provider does not say which recipient a report is about, it decides nothing about a message with copies', async () => {
    const key = Buffer.from('a key of Svix')
    peer.answer((request) => request.path.endsWith('/emails'), { body: { id: 'r-1' } })
    const { id: integration } = await integrate(client, {
      provider: 'resend',
      settings: {
        ...{ apiKey: 'x', fromAddress: 'a@example.com', baseUrl: peer.url },
        webhookSecret: `whsec_${key.toString('base64')}`,
      },
    })
    const { callback_url: url = '' } = await client.providers.get(integration)
    const mailTo = async (email: string, override?: object) => {
      const channel = { providers: [integration as IntegrationId], ...(override && { override }) }
      const { requestId: id } = await client.send({
        message: { to: { email }, content: { title: 'Hi', body: 'Hi' }, channels: { email: channel } },
      })
      await messageWhen(id, 'SENT')
      return id
    }
    const bounce = async (id: string, to: string) => {
      const data = {
        to: [to],
        tags: { delivery_id: `${id}-0` },
        bounce: { type: 'Permanent', message: 'No such user' },
      }
      const body = JSON.stringify({ type: 'email.bounced', created_at: new Date().toISOString(), data })
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const signature = createHmac('sha256', key).update(`m1.${timestamp}.${body}`).digest('base64')
      const headers = { 'svix-id': 'm1', 'svix-timestamp': timestamp, 'svix-signature': `v1,${signature}` }
      const reply = await fetch(app.url + new URL(url).pathname, { method: 'POST', body, headers })
      expect(reply.status).toBe(200)
    }
    const withCopy = await mailTo('kai@example.com', { cc: 'lou@example.com' })
    const alone = await mailTo('mia@example.com')
    await bounce(withCopy, 'kai@example.com')
    // Receipts are applied in their order.
    await bounce(alone, 'mia@example.com')
    await messageWhen(alone, 'UNDELIVERABLE')
    expect((await client.messages.get(withCopy)).status).toBe('SENT')
    expect((await client.suppressions.list({ address: 'kai@example.com' })).results).toEqual([])
  })

  test('a mail that Mailjet tries again stays sent, with its reason in the history, and can arrive', async () => {
    const webhookPassword = 'mailjet-password'
    peer.answer((request) => request.path.endsWith('/v3.1/send'), {
      body: { Messages: [{ Status: 'success', To: [{ MessageUUID: 'u-1' }] }] },
    })
    const { id: integration } = await integrate(client, {
      provider: 'mailjet',
      settings: { apiKey: 'x', secretKey: 'y', fromAddress: 'a@example.com', webhookPassword, baseUrl: peer.url },
    })
    const { callback_url: url = '' } = await client.providers.get(integration)
    const { requestId: id } = await client.send({
      message: {
        to: { email: 'noa@example.com' },
        content: { title: 'Hi', body: 'Hi' },
        channels: { email: { providers: [integration as IntegrationId] } },
      },
    })
    await messageWhen(id, 'SENT')
    const reportOf = async (event: string, fields: object = {}) => {
      const time = Math.floor(Date.now() / 1_000)
      const reply = await fetch(app.url + new URL(url).pathname, {
        method: 'POST',
        body: JSON.stringify([{ event, time, email: 'noa@example.com', CustomID: `${id}-0`, ...fields }]),
        headers: { authorization: `Basic ${btoa(`postrider:${webhookPassword}`)}` },
      })
      expect(reply.status).toBe(200)
    }
    await reportOf('bounce', { blocked: true, hard_bounce: false, error_related_to: 'domain', error: 'greylisted' })
    const { results } = await until(
      () => client.messages.history(id),
      (history) => history.results.some(({ type }) => type === 'DEFERRED'),
    )
    expect(results.at(-1)).toMatchObject({ type: 'DEFERRED', error_message: 'greylisted' })
    expect((await client.messages.get(id)).status).toBe('SENT')
    await reportOf('sent')
    await messageWhen(id, 'DELIVERED')
  })

  test('a status and a text count when the address was signed with its port', async () => {
    const { id, callback } = await send('pia', '+12025550190')
    const withPort = callback.replace('https://notify.example.com/', 'https://notify.example.com:443/')
    const delivered = { MessageStatus: 'delivered', To: '+12025550190' }
    expect((await report(withPort, delivered, 'forged')).status).toBe(403)
    expect((await report(withPort, delivered)).status).toBe(200)
    await messageWhen(id, 'DELIVERED')
    const stop = { SmsStatus: 'received', MessageSid: 'SM9', From: '+12025550190', To: '+12025550100', Body: 'STOP' }
    expect((await report(withPort.split('?')[0]!, stop)).status).toBe(200)
    expect((await client.suppressions.list({ address: '+12025550190' })).results).toHaveLength(1)
  })

  test('a text that the provider has taken for STOP, by words of its account, suppresses the number', async () => {
    const { callback } = await send('ned', '+12025550189')
    const [url = ''] = callback.split('?')
    const text = { SmsStatus: 'received', MessageSid: 'SM7', From: '+12025550188', To: '+12025550100', Body: 'Assez' }
    expect((await report(url, text)).status).toBe(200)
    const suppressed = async () => (await client.suppressions.list({ address: '+12025550188' })).results
    expect(await suppressed()).toEqual([])
    expect((await report(url, { ...text, MessageSid: 'SM8', OptOutType: 'STOP' })).status).toBe(200)
    expect(await suppressed()).toMatchObject([{ reason: 'unsubscribed', source: 'inbound/twilio' }])
  })
})
