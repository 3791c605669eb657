/** Bounces of a mail server: a mail leaves with an envelope sender of its own, and what comes back to it by LMTP or by a POST is the result of the message. */
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import type { MessageSendBody, Postrider } from '@postrider/client'
import nodemailer from 'nodemailer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { freePort } from '../support/free-port.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate } from './templates.ts'

const webhookToken = 'a-random-text-of-the-operator'

/** As a mail server writes it, about the recipient and with the header of the mail. */
const bounce = (to: string, recipient: string, [action, status, reason]: [string, string, string]) =>
  [
    'From: Mail Delivery System <MAILER-DAEMON@mail.example.org>',
    `To: ${to}`,
    'Subject: Delivery Status Notification',
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.example.org',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${reason}`,
    '',
    '--b--',
    '',
  ].join('\r\n')
const GONE: [string, string, string] = ['failed', '5.1.1', '550 5.1.1 No such user']

/** A file of `test/bounces` about the mail with this envelope sender. */
const bounceFile = (name: string, bounceAddress: string, recipient: string): Buffer => {
  const text = readFileSync(new URL(`../bounces/${name}.eml`, import.meta.url), 'latin1')
  const places = { '@@BOUNCE@@': bounceAddress, '@@RCPT@@': recipient, '@@COPY@@': 'bob@example.net' }
  const filled = Object.entries(places).reduce((whole, [place, value]) => whole.replaceAll(place, value), text)
  return Buffer.from(filled.replaceAll('\n', '\r\n'), 'latin1')
}

withApp((open) => {
  let app: App
  let client: Postrider
  let smtp: SmtpSink
  let port: number
  let integration: string
  let database: Awaited<ReturnType<typeof engineOn>>

  beforeAll(async () => {
    ;[smtp, port] = await Promise.all([startSmtpSink(), freePort()])
    const env = { ...(await databaseEnvironment()), POSTRIDER_LMTP_PORT: String(port) }
    app = await open({ env })
    database = await engineOn(env.POSTRIDER_DATABASE_URL)
    client = app.client
    const server = { host: '127.0.0.1', port: smtp.port, security: 'opportunistic', fromAddress: 'news@example.org' }
    ;({ id: integration } = await integrate(client, {
      provider: 'smtp',
      settings: { ...server, bounceAddress: 'bounces@example.org', webhookToken },
    }))
  })
  afterAll(async () => {
    await database?.close()
    await smtp?.close()
  })

  const unsubscribe = 'List-Unsubscribe: <https://shop.example/u>\r\n'
  const send = async (email: string, copies: { cc?: string; bcc?: string } = {}) => {
    const headers = { 'List-Unsubscribe': '<https://shop.example/u>' }
    const body = {
      message: {
        to: { email },
        channels: { email: { override: { ...copies, headers } } },
        content: { title: 'Hello', body: 'Good to see you.' },
        routing: { method: 'single' as const, channels: ['email'] },
      },
    }
    return settled(client, (await client.send(body as MessageSendBody)).requestId)
  }
  const sent = async (email: string) => {
    const { id } = await send(email)
    const { from, parsed } = await smtp.waitFor(({ to }) => to.includes(email))
    return { id, from, header: parsed.from }
  }
  const handOver = (to: string | string[], raw: string | Buffer) =>
    nodemailer
      .createTransport({ lmtp: true, host: '127.0.0.1', port, ignoreTLS: true } as never)
      .sendMail({ envelope: { from: '', to }, raw })
  const inboundMails = async (outcome: string) => {
    const { text } = await app.call('GET', '/metrics')
    return Number(new RegExp(`postrider_inbound_mails_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
  }
  const ignoredMails = () => inboundMails('ignored')
  const keptBounces = async () => (await client.unrecognizedBounces.list({ limit: 100 })).results
  const messageWhen = (id: string, status: string) =>
    until(
      () => client.messages.get(id),
      (message) => message.status === status,
    )
  const history = async (id: string, type: 'DEFERRED' | 'COMPLAINED' | 'UNDELIVERABLE') =>
    (await client.messages.history(id, { type })).results

  test('a hard bounce: the message is UNDELIVERABLE, the address suppressed, and the next send is not tried', async () => {
    const { id, from, header } = await sent('gone@example.com')
    expect(from).toMatch(/^bounces\+[0-9a-v]{52}@example\.org$/)
    expect(header).toMatchObject({ address: 'news@example.org' })
    expect((await client.messages.get(id)).status).toBe('SENT')
    // Mail servers repeat a mail whose answer was lost.
    for (let times = 0; times < 2; times += 1)
      await handOver(from.toUpperCase(), bounce(from, 'gone@example.com', GONE))
    const message = await messageWhen(id, 'UNDELIVERABLE')
    expect(message).toMatchObject({ reason: 'BOUNCED', reasonCode: 'HARD', error: '550 5.1.1 No such user' })
    expect(await history(id, 'UNDELIVERABLE')).toMatchObject([{ reason: 'BOUNCED', reasonCode: 'HARD' }])
    const { results } = await client.suppressions.list({ address: 'gone@example.com' })
    expect(results).toMatchObject([{ reason: 'hard_bounce', source: 'provider/smtp', message_id: id }])
    const next = await until(
      () => send('Gone@example.com'),
      ({ reason }) => reason === 'SUPPRESSED',
    )
    expect(next).toMatchObject({
      status: 'UNDELIVERABLE',
      error: expect.stringContaining('The email address is suppressed: hard_bounce by provider/smtp'),
    })
  })

  test('a delay is in the history, a temporary failure ends the message without suppressing the address', async () => {
    const { id, from } = await sent('full@example.com')
    await handOver(from, bounce(from, 'full@example.com', ['delayed', '4.2.2', '452 4.2.2 Mailbox full']))
    await until(
      () => history(id, 'DEFERRED'),
      (events) => events.length > 0,
    )
    expect(await history(id, 'DEFERRED')).toMatchObject([
      { error_message: '452 4.2.2 Mailbox full', channel: { id: 'email' }, integration: { provider: 'smtp' } },
    ])
    expect((await client.messages.get(id)).status).toBe('SENT')
    await handOver(from, bounce(from, 'full@example.com', ['failed', '4.4.7', '452 4.2.2 Mailbox full']))
    expect(await messageWhen(id, 'UNDELIVERABLE')).toMatchObject({ reason: 'BOUNCED', reasonCode: 'SOFT' })
    expect((await client.suppressions.list({ address: 'full@example.com' })).results).toEqual([])
  })

  test('a report cannot suppress the address of another person', async () => {
    const { id, from } = await sent('eve@example.com')
    await handOver(from, bounce(from, 'bob@example.com', GONE))
    expect(await messageWhen(id, 'UNDELIVERABLE')).toMatchObject({ reason: 'BOUNCED', reasonCode: 'SOFT' })
    for (const address of ['bob@example.com', 'eve@example.com'])
      expect((await client.suppressions.list({ address })).results).toEqual([])
  })

  test('a reader of a copy cannot suppress the addressee: copies have an envelope sender that counts for no address', async () => {
    const { id } = await send('lea@example.com', { cc: 'mia@example.com, LEA@example.com', bcc: 'noa@example.com' })
    const [toLea, toCopies] = await Promise.all(
      ['lea', 'mia'].map((name) => smtp.waitFor(({ to }) => to.includes(`${name}@example.com`))),
    )
    expect([toLea?.to, toCopies?.to]).toEqual([['lea@example.com'], ['mia@example.com', 'noa@example.com']])
    expect(toLea?.raw).toContain(unsubscribe)
    expect([toCopies?.raw, toCopies?.from === toLea?.from]).toEqual([toLea?.raw.replace(unsubscribe, ''), false])
    const [lea = '', copies = ''] = [toLea?.from, toCopies?.from]
    const complaint = bounce(copies, '', GONE)
      .replaceAll('delivery-status', 'feedback-report')
      .replace(/Reporting-MTA[\s\S]*?--b--/, 'Feedback-Type: abuse\r\nOriginal-Rcpt-To: lea@example.com\r\n\r\n--b--')
    for (const name of ['lea', 'mia', 'x']) await handOver(copies, bounce(copies, `${name}@example.com`, GONE))
    await handOver(copies, complaint)
    await handOver(lea, bounce(lea, 'lea@example.com', ['delayed', '4.2.2', '452 4.2.2 Mailbox full']))
    // Receipts are applied in their order.
    await until(
      () => history(id, 'DEFERRED'),
      ({ length }) => length === 1,
    )
    expect([await history(id, 'UNDELIVERABLE'), await history(id, 'COMPLAINED')]).toEqual([[], []])
    expect((await client.messages.get(id)).status).toBe('SENT')
    for (const name of ['lea', 'mia'])
      expect((await client.suppressions.list({ address: `${name}@example.com` })).results).toEqual([])
    await handOver(lea, bounce(lea, 'lea@example.com', GONE))
    expect(await messageWhen(id, 'UNDELIVERABLE')).toMatchObject({ reason: 'BOUNCED', reasonCode: 'HARD' })
  })

  test('no reply shows the token of a bounce address: with it a reader could make up a bounce', async () => {
    let isFirst = true
    smtp.script({
      sender(address) {
        if (!isFirst) return undefined
        isFirst = false
        return { code: 450, text: `4.7.1 <${address}> and <${address.toUpperCase()}> greylisted` }
      },
    })
    const { id } = await send('tea@example.com', { cc: 'uli@example.com' })
    smtp.script({})
    const mails = await Promise.all(
      ['tea', 'uli'].map((name) => smtp.waitFor(({ to }) => to.includes(`${name}@example.com`))),
    )
    const tokens = mails.map(({ from }) => /\+(\w+)@/.exec(from)?.[1] ?? '')
    expect(new Set(tokens).size).toBe(2)
    const replies = await Promise.all(
      ['', '/explain', '/history'].map((part) => app.call('GET', `/messages/${id}${part}`)),
    )
    expect(replies.map(({ text }) => text).join()).toContain('bounces+********@example.org')
    for (const token of tokens)
      expect(replies.filter(({ text }) => text.toLowerCase().includes(token.toLowerCase()))).toEqual([])
  })

  test('copies that are refused are named, each with its answer, where none is taken, too', async () => {
    smtp.script({
      recipient(address) {
        if (address === 'sam@example.com') return { code: 550, text: 'no' }
        return address === 'ort@example.com' ? { code: 450, text: 'later' } : undefined
      },
    })
    const { id } = await send('pia@example.com', { cc: 'ort@example.com, sam@example.com' })
    smtp.script({})
    const { providers } = await client.messages.get(id)
    expect(providers).toMatchObject([{ status: 'SENT' }])
    expect(providers?.[0]?.reference?.response).toMatch(
      /; not taken: sam@example\.com \(550 no\); not taken: ort@example\.com \(450 later\)$/,
    )
    const mails = smtp.all.filter(({ parsed }) => parsed.cc?.some(({ address }) => address === 'sam@example.com'))
    expect(mails.map(({ to }) => to)).toEqual([['pia@example.com']])
  })

  test('a complaint suppresses the address', async () => {
    const { id, from } = await sent('cross@example.com')
    const complaint = bounce(from, '', GONE)
      .replaceAll('delivery-status', 'feedback-report')
      .replace(/Reporting-MTA[\s\S]*?--b--/, 'Feedback-Type: abuse\r\nOriginal-Rcpt-To: Cross@example.com\r\n\r\n--b--')
    await handOver(from, complaint)
    await until(
      () => client.suppressions.list({ address: 'cross@example.com' }),
      ({ results }) => results.length > 0,
    )
    expect((await client.suppressions.list({ reason: 'complaint' })).results).toMatchObject([{ message_id: id }])
    expect(await history(id, 'COMPLAINED')).toHaveLength(1)
    expect((await client.messages.get(id)).status).toBe('SENT')
  })

  test('an automatic reply is taken and changes nothing, an unknown address is refused as every other one', async () => {
    const { id, from } = await sent('away@example.com')
    await handOver(from, `From: away@example.com\r\nTo: ${from}\r\nAuto-Submitted: auto-replied\r\n\r\n550 5.1.1\r\n`)
    const changed = from.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'))
    for (const address of [changed, 'bounces@example.org', 'postmaster@example.org', 'x@y.co'])
      await expect(handOver(address, bounce(address, 'away@example.com', GONE))).rejects.toMatchObject({
        responseCode: 550,
        response: expect.stringMatching(/^550 5\.\d\.\d No such mailbox$/),
      })
    const { rejected, accepted } = await handOver([changed, from], bounce(from, 'x', ['expanded', '2.0.0', 'ok']))
    expect([accepted, rejected]).toEqual([[from], [changed]])
    expect((await client.messages.get(id)).status).toBe('SENT')
    expect((await app.call('GET', '/metrics')).text).toMatch(
      /postrider_inbound_mails_total\{outcome="refused"\} [45](?![\d])/,
    )
  })

  test.each([
    ['dragonfly-empty-from', 'HARD', 'hard_bounce'],
    ['workmail-5.1.1', 'HARD', 'hard_bounce'],
    ['exim-two-recipients', 'HARD', 'hard_bounce'],
    ['qmail-expired-4.4.1', 'SOFT', undefined],
    ['qmail-two-recipients', 'SOFT', undefined],
    ['exim-unrouteable', 'SOFT', undefined],
    ['sendgrid-action-expired', 'SOFT', undefined],
    ['exchange-online-5.1.351', 'SOFT', undefined],
    ['postfix-forwarded-alias', 'SOFT', undefined],
    ['postfix-in-words-forwarded', 'SOFT', undefined],
    ['exim-sender-refused', 'SOFT', undefined],
  ])('the mail %s by LMTP ends the message as %s, suppression: %s', async (name, reasonCode, reason) => {
    const email = `${name}@example.com`
    const { id, from } = await sent(email)
    await handOver(from, bounceFile(name, from, email))
    expect(await messageWhen(id, 'UNDELIVERABLE')).toMatchObject({ reason: 'BOUNCED', reasonCode })
    expect(await history(id, 'UNDELIVERABLE')).toHaveLength(1)
    const suppressions = await Promise.all(
      [email, 'bob@example.net', 'ada@gone.example.net'].map((address) => client.suppressions.list({ address })),
    )
    const reasons = suppressions.flatMap(({ results }) => results.map((entry) => [entry.address, entry.reason]))
    expect(reasons).toEqual(reason === undefined ? [] : [[email, reason]])
  })

  test('warnings, reports without a result and answers of people change nothing', async () => {
    const email = 'calm@example.com'
    const { id, from } = await sent(email)
    const ignored = await ignoredMails()
    for (const name of ['exim-delay-warning', 'report-action-relayed', 'guard-vacation-quotes-a-code'])
      await handOver(from, bounceFile(name, from, email))
    await handOver(from, bounceFile('guard-complaint-forwarded-by-a-person', from, email))
    await handOver(from, bounce(from, email, ['delayed', '4.2.2', '452 4.2.2 Mailbox full']))
    // Receipts are applied in their order.
    await until(
      () => history(id, 'DEFERRED'),
      ({ length }) => length === 1,
    )
    expect([await history(id, 'UNDELIVERABLE'), await history(id, 'COMPLAINED')]).toEqual([[], []])
    expect((await client.suppressions.list({ address: email })).results).toEqual([])
    expect((await ignoredMails()) - ignored).toBe(4)
  })

  test('a complaint of Microsoft without a report suppresses the address', async () => {
    const email = 'old@example.com'
    const { id, from } = await sent(email)
    await handOver(from, bounceFile('microsoft-complaint-posted', from, email))
    await until(
      () => history(id, 'COMPLAINED'),
      ({ length }) => length === 1,
    )
    expect((await client.suppressions.list({ address: email })).results).toMatchObject([{ reason: 'complaint' }])
  })

  const sentToUser = async (recipient: string) => {
    const email = `${recipient}@example.com`
    await client.profiles.replace(recipient, { profile: { email } })
    const { requestId } = await client.send({
      message: { to: { user_id: recipient }, content: { title: 'Hello', body: 'Good to see you.' } },
    } as MessageSendBody)
    const { id } = await settled(client, requestId)
    const { from } = await smtp.waitFor(({ to }) => to.includes(email))
    const text = (sender: string) => `From: ${sender}\r\nTo: ${from}\r\nSubject: Alas\r\n\r\n\xc4ch, ${email}.\r\n`
    return { id, email, from, text }
  }
  const completedErasure = async (recipient: string) => {
    const { erasureId } = (await app.call('DELETE', `/profiles/${recipient}?erase=true`)).json
    return until(
      () => client.erasures.get(erasureId),
      ({ status }) => status !== 'PROCESSING',
    )
  }

  test('a notice that is not understood is counted and kept, without its token, until its recipient is erased', async () => {
    const recipient = 'puzzled'
    const { id, email, from, text } = await sentToUser(recipient)
    const [before, counted] = [await keptBounces(), await inboundMails('unrecognized')]
    // A mail server repeats a mail whose answer was lost.
    for (let times = 0; times < 2; times += 1) await handOver(from, Buffer.from(text('robot@mx.example.org'), 'latin1'))
    // The answer of the addressee, an automatic reply, and a mail to an address of copies are kept nowhere.
    await handOver(from, text(email))
    await handOver(from, text('robot@mx.example.org').replace('Subject', 'Auto-Submitted: auto-replied\r\nSubject'))
    const { callback_url: url = '' } = await client.providers.get(integration)
    const posted = await fetch(`${app.url}${new URL(url).pathname}`, {
      method: 'POST',
      body: text('courier@mx.example.org'),
      headers: { 'content-type': 'message/rfc822', authorization: `Bearer ${webhookToken}` },
    })
    expect(posted.status).toBe(200)
    expect((await inboundMails('unrecognized')) - counted).toBe(3)
    const kept = (await keptBounces()).filter((bounce) => !before.some((other) => other.id === bounce.id))
    expect(kept).toMatchObject([
      { message_id: id, envelope_sender: null, mail: expect.stringContaining('From: courier@mx.example.org') },
      {
        message_id: id,
        envelope_sender: '',
        mail: expect.stringMatching(/^From: robot@mx[\s\S]*To: bounces\+\*{8}@example\.org[\s\S]*\xc4ch/),
      },
    ])
    expect(JSON.stringify(kept)).not.toContain(/\+(\w+)@/.exec(from)?.[1])
    const other = await app.key('published', 'test')
    expect((await other.client.unrecognizedBounces.list()).results).toEqual([])
    expect((await completedErasure(recipient)).removed.unrecognizedBounces).toBe(2)
    // One that comes afterwards is about a person who is erased.
    await handOver(from, text('robot@mx.example.org'))
    expect(await keptBounces()).toEqual(before)
    expect((await inboundMails('unrecognized')) - counted).toBe(3)
  })

  test('an erasure deletes a kept mail whose message is beyond its retention', async () => {
    const recipient = 'forgotten'
    const { id, from, text } = await sentToUser(recipient)
    await handOver(from, text('robot@mx.example.org'))
    await database.run({ text: 'delete from messages where id = $1', values: [id] })
    const ofMessage = async () => (await keptBounces()).filter(({ message_id }) => message_id === id)
    expect(await ofMessage()).toHaveLength(1)
    const counted = await inboundMails('unrecognized')
    await handOver(from, text('courier@mx.example.org'))
    expect([(await ofMessage()).length, await inboundMails('unrecognized')]).toEqual([1, counted])
    expect((await completedErasure(recipient)).removed).toMatchObject({ unrecognizedBounces: 1 })
    expect(await ofMessage()).toEqual([])
  })

  test('it speaks LMTP only', async () => {
    const socket = createConnection({ host: '127.0.0.1', port })
    const answers: string[] = []
    socket.on('data', (bytes) => answers.push(String(bytes)))
    socket.once('data', () => socket.write('EHLO client.example\r\nQUIT\r\n'))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(answers.join('')).toMatch(/^220 .* LMTP Postrider\r\n500 /)
  })

  test('a bounce comes in by a POST with the token, as it is or in a form', async () => {
    const { callback_url: url = '' } = await client.providers.get(integration)
    const { pathname } = new URL(url)
    const post = (
      body: string | URLSearchParams | FormData,
      headers: Record<string, string> = {},
      token = webhookToken,
    ) =>
      fetch(`${app.url}${pathname}`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${token}`, ...headers },
      })
    const rfc822 = { 'content-type': 'message/rfc822' }
    const original = await sent('one@example.com')
    const mail = bounce(original.from, 'one@example.com', GONE)
    expect((await post(mail, rfc822, 'wrong')).status).toBe(403)
    expect((await post('', rfc822)).status).toBe(400)
    expect((await post(new URLSearchParams({ subject: 'x' }))).status).toBe(400)
    expect((await post('hello', rfc822)).status).toBe(200)
    expect((await client.messages.get(original.id)).status).toBe('SENT')
    expect((await post(mail, rfc822)).status).toBe(200)
    await messageWhen(original.id, 'UNDELIVERABLE')

    const complained = await sent('posted@example.com')
    const complaint = bounceFile('microsoft-complaint-posted', complained.from, 'posted@example.com')
    expect((await post(complaint.toString('latin1'), rfc822)).status).toBe(200)
    await until(
      () => history(complained.id, 'COMPLAINED'),
      ({ length }) => length === 1,
    )

    const form = new FormData()
    const two = await sent('two@example.com')
    form.set('email', bounce(two.from, 'two@example.com', GONE))
    const three = await sent('three@example.com')
    const four = await sent('four@example.com')
    const json = JSON.stringify({ RawEmail: bounce(four.from, 'four@example.com', GONE) })
    const answers = await Promise.all([
      post(form),
      post(new URLSearchParams({ 'body-mime': bounce(three.from, 'three@example.com', GONE) })),
      post(json, { 'content-type': 'application/json' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const { id } of [two, three, four]) await messageWhen(id, 'UNDELIVERABLE')
  })
})
