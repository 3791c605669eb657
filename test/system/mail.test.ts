/** SMTP servers that differ: addresses beyond ASCII, access tokens, and signatures of mails that others relay. */
import { generateKeyPairSync } from 'node:crypto'
import type { MessageSendBody } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { integrate } from './templates.ts'

const content = { title: 'Hello', body: 'Good to see you.' }

withApp((open) => {
  let app: App
  let ascii: SmtpSink
  let unicode: SmtpSink
  let tokens: Recorder
  /** The integrations by their titles. */
  const ids = new Map<string, string>()
  const good = 'token-1'

  beforeAll(async () => {
    const isTokenGood = (token: string) => token === good
    ;[app, ascii, unicode, tokens] = await Promise.all([
      open(),
      startSmtpSink({ asciiOnly: true }),
      startSmtpSink({ user: 'ada', isTokenGood }),
      startRecorder(),
    ])
    tokens.answer('/token', () => ({ body: { access_token: good, expires_in: 3_600 } }))
    const { privateKey } = generateKeyPairSync('ed25519')
    const server = { host: '127.0.0.1', security: 'opportunistic', fromAddress: 'news@example.org' }
    const dkim = { dkimDomain: 'example.org', dkimSelector: 's1' }
    const settings = {
      ascii: {
        ...server,
        port: ascii.port,
        bounceAddress: 'bounces@example.org',
        ...dkim,
        dkimPrivateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      },
      unicode: {
        ...{ ...server, port: unicode.port, user: 'ada' },
        ...{ clientId: 'client-1', refreshToken: 'refresh-1', tokenUrl: `${tokens.url}/token` },
      },
    }
    for (const [title, each] of Object.entries(settings))
      ids.set(title, (await integrate(app.client, { provider: 'smtp', title, settings: each, priority: ids.size })).id)
  })
  afterAll(() => Promise.all([ascii?.close(), unicode?.close(), tokens?.close()]))

  async function send(email: string, providers: string[], override = {}) {
    const channels = [{ channel: 'email', method: 'single', providers: providers.map((title) => ids.get(title)) }]
    const routing = { method: 'single', channels }
    const body = { message: { to: { email }, content, routing, channels: { email: { override } } } }
    return settled(app.client, (await app.client.send(body as MessageSendBody)).requestId)
  }

  test('an address beyond ASCII goes to the next integration where a server does not take it, at once', async () => {
    const message = await send('jürgen@bücher.example', ['ascii', 'unicode'])
    expect(message).toMatchObject({
      status: 'SENT',
      providers: [
        {
          status: 'UNDELIVERABLE',
          error: 'unsupported: 127.0.0.1 does not take addresses beyond ASCII: it does not offer SMTPUTF8',
        },
        { status: 'SENT' },
      ],
    })
    expect((await unicode.waitForCount(1)).map(({ to }) => to)).toEqual([['jürgen@bücher.example']])
    expect(ascii.all).toEqual([])
    // Neither the address nor the integration is at fault.
    expect((await app.client.suppressions.list({})).results).toEqual([])
    expect((await send('ada@example.com', ['ascii'])).status).toBe('SENT')
  })

  test('without another integration the error says what is missing', async () => {
    expect(await send('jürgen@bücher.example', ['ascii'])).toMatchObject({
      status: 'UNDELIVERABLE',
      error: 'unsupported: 127.0.0.1 does not take addresses beyond ASCII: it does not offer SMTPUTF8',
    })
  })

  test.each([
    ['the sender', { sender: () => ({ code: 553, text: '5.1.0 sender unknown' }) }],
    ['to relay', { recipient: () => ({ code: 554, text: '5.7.1 Relay access denied' }) }],
    ['the content', { mail: () => ({ code: 550, text: 'looks like spam' }) }],
  ])('a server that refuses %s leaves the mail to the next integration, at once', async (_what, script) => {
    ascii.script(script)
    const count = unicode.all.length
    const message = await send('ada@example.com', ['ascii', 'unicode'])
    ascii.script({})
    expect(message).toMatchObject({ status: 'SENT', providers: [{ status: 'UNDELIVERABLE' }, { status: 'SENT' }] })
    expect((await unicode.waitForCount(count + 1)).at(-1)?.to).toEqual(['ada@example.com'])
    expect((await app.client.suppressions.list({})).results).toEqual([])
  })

  test('one request for a token serves all mails that wait for it, and one more follows its end', async () => {
    const requests = () => tokens.all.filter(({ path }) => path === '/token').length
    const before = requests()
    const many = Array.from({ length: 10 }, (_, index) => `many-${index}@example.com`)
    for (const { status } of await Promise.all(many.map((email) => send(email, ['unicode']))))
      expect(status).toBe('SENT')
    expect(requests()).toBe(Math.max(before, 1))
    expect(new URLSearchParams(tokens.all[0]?.body).get('refresh_token')).toBe('refresh-1')
    expect(unicode.all.every(({ user }) => user === 'ada')).toBe(true)
  })

  test('a mail is signed where the integration has a key, copies with their headers', async () => {
    const headers = { 'List-Unsubscribe': '<https://shop.example/u>' }
    await send('signed@example.com', ['ascii'], { cc: 'copy@example.com', headers })
    const [signed, copy] = await Promise.all(
      ['signed', 'copy'].map((name) => ascii.waitFor(({ to }) => to.includes(`${name}@example.com`))),
    )
    for (const mail of [signed, copy])
      expect(mail?.raw).toMatch(/^DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed\/relaxed; d=example\.org; s=s1;/)
    const names = ({ raw = '' } = {}) => /h=([^;]*);/.exec(raw)?.[1]?.replace(/\s/g, '').toLowerCase().split(':') ?? []
    expect([names(signed).includes('list-unsubscribe'), names(copy).includes('list-unsubscribe')]).toEqual([
      true,
      false,
    ])
  })

  test('names with an at sign, parts of headers and parameters of a media type arrive', async () => {
    const data = Buffer.from('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n').toString('base64')
    const contentType = 'text/calendar; method=REQUEST; charset=UTF-8; name="Köln.ics"'
    await send('ada@named.example <ada@named.example>', ['unicode'], {
      from: 'noreply@example.org <noreply@example.org>',
      cc: 'Bob @ Work <bob@named.example>, cy@named.example',
      replyTo: 'help@example.org <help@example.org>',
      headers: { 'List-Id': 'Nachrichten für Köln <news.example.org>' },
      attachments: [{ filename: 'invite.ics', contentType, data }],
    })
    const { to, raw } = await unicode.waitFor((mail) => mail.to.includes('ada@named.example'))
    expect(to).toEqual(['ada@named.example', 'bob@named.example', 'cy@named.example'])
    for (const header of [
      'From: "noreply@example.org" <noreply@example.org>',
      'To: "ada@named.example" <ada@named.example>',
      'Cc: "Bob @ Work" <bob@named.example>, cy@named.example',
      'Reply-To: "help@example.org" <help@example.org>',
      'List-Id: =?UTF-8?B?TmFjaHJpY2h0ZW4gZsO8ciBLw7Zsbg==?= <news.example.org>',
      "Content-Type: text/calendar;\r\n method=REQUEST;\r\n charset=UTF-8;\r\n name*=utf-8''K%C3%B6ln.ics",
    ])
      expect(raw).toContain(`${header}\r\n`)
    expect(raw).toContain(`\r\n\r\n${data}`)
  })

  test('a copy beyond the recipients of a transaction has another one, and each gets the mail once', async () => {
    let left = 1
    unicode.script({
      recipient: (address) =>
        address === 'bob@many.example' && left-- > 0 ? { code: 452, text: '4.5.3 Too many' } : undefined,
    })
    const message = await send('ada@many.example', ['unicode'], { cc: 'bob@many.example' })
    unicode.script({})
    expect(message.status).toBe('SENT')
    const mails = unicode.all.filter(({ to }) => to.some((address) => address.endsWith('@many.example')))
    expect(mails.map(({ to }) => to)).toEqual([['ada@many.example'], ['bob@many.example']])
    const { results } = await app.client.messages.history(message.id)
    expect(results.find(({ type }) => type === 'SENT')).not.toHaveProperty('findings')
  })

  test('a copy that the server does not take is in the history', async () => {
    unicode.script({
      recipient: (address) => (address === 'bob@few.example' ? { code: 550, text: '5.1.1 no such user' } : undefined),
    })
    const message = await send('ada@few.example', ['unicode'], { cc: 'bob@few.example' })
    unicode.script({})
    expect(message.status).toBe('SENT')
    const { results } = await app.client.messages.history(message.id)
    expect(results.find(({ type }) => type === 'SENT')).toMatchObject({
      findings: ['The copy to bob@few.example was not taken: 550 5.1.1 no such user'],
    })
    expect((await app.client.suppressions.list({})).results).toEqual([])
  })

  test('a provider that takes no such address is passed by, and the explanation says so', async () => {
    const settings = { apiKey: 'SG.x', fromAddress: 'news@example.org' }
    const { id } = await integrate(app.client, { provider: 'sendgrid', settings, priority: 9 })
    ids.set('sendgrid', id)
    expect(await send('jürgen@bücher.example', ['sendgrid'])).toMatchObject({
      status: 'UNROUTABLE',
      reason: 'INCOMPLETE_PROFILE_DATA',
      error: 'No usable address: email (SendGrid) cannot use the `email` of the profile',
    })
  })
})
