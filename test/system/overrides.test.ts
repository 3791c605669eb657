/** Overrides cannot write headers through line breaks, or send a stored secret to another address. */
import type { MessageDetail, Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendAndSettle, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { integrateAll, profile, senders, smtpUser, storedSecrets } from './every-provider.ts'

withApp((open) => {
  let client: Postrider
  let peer: Recorder
  let elsewhere: Recorder
  let mail: SmtpSink
  let otherMail: SmtpSink

  beforeAll(async () => {
    ;[peer, elsewhere, mail, otherMail] = await Promise.all([
      startRecorder(),
      startRecorder(),
      startSmtpSink(smtpUser),
      startSmtpSink(),
    ])
    client = (await open()).client
    await integrateAll(client, peer, mail)
    // Its access token is optional: without one the message goes there.
    elsewhere.answer('/--/api/v2/push/send', { body: { data: [{ status: 'ok', id: 'ticket-1' }] } })
  })
  afterAll(() => Promise.all([peer.close(), elsewhere.close(), mail.close(), otherMail.close()]))

  describe('line breaks write no headers', () => {
    const injected = '\r\nBcc: injected@example.com\r\nX-Injected: 1'
    const ofMail = async (message: MessageDetail) => {
      const mails = mail.all.filter(({ raw }) => raw.includes(`<${message.id}-0@`))
      for (const { to, parsed } of mails) {
        expect(to).toEqual(['ada@example.com'])
        const names = parsed.headers.map(({ key }) => key.toLowerCase())
        expect(names).not.toContain('bcc')
        expect(names).not.toContain('x-injected')
      }
      return mails.length
    }

    test('in an address: it is no address', async () => {
      const email = `ada@example.com${injected}`
      for (const event of ['smtp', 'sendgrid']) {
        const message = await sendAndSettle(client, { event, recipient: 'crlf', profile: { email } })
        expect(message).toMatchObject({ status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA' })
      }
    })

    test.each([
      ['the subject', { channel: { email: { subject: `Hi${injected}` } } }],
      ['the sender', { channel: { email: { from: `news@shop.example${injected}` } } }],
      ['a header', { channel: { email: { headers: { 'X-Ours': `1${injected}` } } } }],
      ["a header's name", { channel: { email: { headers: { [`X-Ours: 1${injected}`]: '1' } } } }],
      ['the body of the provider', { smtp: { body: { subject: `Hi${injected}` } } }],
      [
        'the name of an attachment',
        { smtp: { body: { attachments: [{ filename: `a${injected}`, content: 'aGk=' }] } } },
      ],
    ])('in %s of an override: nothing is sent', async (_where, override) => {
      const message = await sendAndSettle(client, { event: 'smtp', recipient: 'crlf', profile, override })
      expect(message.status).toBe('UNDELIVERABLE')
      expect(message.error).toMatch(/./)
      expect(await ofMail(message)).toBe(0)
    })

    test.each([
      ['the subject', { subject: `Hi${injected}` }, /^subject must not contain line breaks$/],
      ['a header', { headers: { 'X-Ours': `1${injected}` } }, /^headers\.X-Ours must not contain line breaks$/],
      ['a header that is not theirs', { headers: { 'Resent-To': 'a@b.co' } }, /^headers\.Resent-To cannot be set$/],
    ])('in %s: no provider is called, and explain reports it before', async (_where, email, error) => {
      const body = { event: 'smtp', recipient: 'crlf', profile, override: { channel: { email } } }
      const message = await sendAndSettle(client, body)
      expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'FAILED', error: expect.stringMatching(error) })
      const { rendered } = await client.explain(body)
      expect(rendered).toMatchObject([{ error: expect.stringMatching(error) }])
    })

    test('in a value that the subject shows: it stays in one line', async () => {
      const data = { name: `Ada${injected}` }
      const message = await sendAndSettle(client, { event: 'smtp', recipient: 'crlf', profile, data })
      expect(message.status).toBe('SENT')
      expect(await ofMail(message)).toBe(1)
    })
  })

  test('a config changes what the content is made of: the sender, in an explanation and in the mail', async () => {
    const config = { fromAddress: 'sales@shop.example', fromName: 'Sales' }
    const send = { event: 'smtp', recipient: 'config', profile, override: { smtp: { config } } }
    const { rendered } = await client.explain(send)
    expect(rendered).toMatchObject([{ draft: { body: { from: { name: 'Sales', address: 'sales@shop.example' } } } }])
    const { id } = await sendAndSettle(client, send)
    const [received] = mail.all.filter(({ raw }) => raw.includes(`<${id}-0@`))
    expect(received?.parsed.from).toMatchObject({ name: 'Sales', address: 'sales@shop.example' })
  })

  describe('an override that redirects takes no stored secret along', () => {
    const redirects: [string, () => object][] = [
      ...senders
        .filter(({ settings }) => 'baseUrl' in settings.properties)
        .map(({ key }): [string, () => object] => [key, () => ({ [key]: { config: { baseUrl: elsewhere.url } } })]),
      ['webhook', () => ({ webhook: { url: `${elsewhere.url}/hook` } })],
      ['smtp', () => ({ smtp: { config: { port: otherMail.port } } })],
      ['slack', () => ({ slack: { config: { webhookUrl: `${elsewhere.url}/incoming` } } })],
    ]

    test.each(redirects)('%s', async (event, override) => {
      const message = await sendAndSettle(client, {
        event,
        recipient: 'redirected',
        profile,
        override: { ...override() },
      })
      expect(['UNDELIVERABLE', 'SENT', 'DELIVERED']).toContain(message.status)
      const seen = JSON.stringify([elsewhere.all, otherMail.all])
      for (const { canaries } of storedSecrets) for (const secret of canaries) expect(seen).not.toContain(secret)
      for (const { user } of otherMail.all) expect(user).toBeUndefined()
    })

    describe('the stored profile is protected as well', () => {
      const token = 'stored-profile-token'
      const header = 'stored-profile-header'
      beforeAll(async () => {
        await client.profiles.replace('installer', {
          profile: {
            slackToken: token,
            slack: { access_token: token, channel: 'C1' },
            webhook: { url: `${peer.url}/own`, headers: { 'x-signed': header }, profile: 'limited' },
          },
        })
      })
      const received = () => JSON.stringify(elsewhere.all)

      test('slack: neither its token nor its name for it, but the channel and the token of the override', async () => {
        const config = { baseUrl: elsewhere.url, accessToken: 'override-token' }
        const send = { event: 'slack', recipient: 'installer', override: { slack: { config } } }
        await client.send(send)
        const request = await elsewhere.waitFor(({ headers }) => headers.authorization === 'Bearer override-token')
        expect(request.body).toContain('channel=C1')
        const none = { ...send, override: { slack: { config: { baseUrl: elsewhere.url } } } }
        expect(await sendAndSettle(client, none)).toMatchObject({
          status: 'UNDELIVERABLE',
          error: expect.stringMatching(
            /^The override moves the address, and stored secrets do not go along \(`accessToken` of the integration, those of the profile\): give them with the send\. There is no access token/,
          ),
        })
        expect(received()).not.toContain(token)
      })

      test('slack: a token of the same send goes along', async () => {
        await client.send({
          event: 'slack',
          recipient: 'installer',
          profile: { slack: { access_token: 'sent-token' } },
          override: { slack: { config: { baseUrl: elsewhere.url } } },
        })
        await elsewhere.waitFor(({ headers }) => headers.authorization === 'Bearer sent-token')
      })

      test('webhook: its headers stay with the address they were stored with', async () => {
        const webhook = { url: `${elsewhere.url}/moved` }
        await sendAndSettle(client, { event: 'webhook', recipient: 'installer', profile: { webhook } })
        const request = await elsewhere.waitFor(({ path }) => path === '/moved')
        expect(request.headers['x-signed']).toBeUndefined()
        expect(received()).not.toContain(header)
        // An override that moves the integration's address leaves the profile's own one alone.
        const override = { webhook: { config: { url: `${elsewhere.url}/config`, authentication: 'none' as const } } }
        const before = peer.all.length
        await sendAndSettle(client, { event: 'webhook', recipient: 'installer', override })
        expect(peer.all.slice(before).map(({ path, headers }) => [path, headers['x-signed']])).toEqual([
          ['/own', header],
        ])
      })
    })

    test('the error names the secrets that are left behind', async () => {
      const moved = async (event: string, config: object) =>
        (await sendAndSettle(client, { event, recipient: 'redirected', profile, override: { [event]: { config } } }))
          .error
      const left = (key: string) =>
        `The override moves the address, and stored secrets do not go along (\`${key}\` of the integration): give them with the send.`
      const to = { baseUrl: elsewhere.url }
      expect(await moved('sendgrid', to)).toBe(
        `${left('apiKey')} The settings are not usable with the config of the override: apiKey is required`,
      )
      // Another error of the override names no secrets.
      expect(await moved('sendgrid', { fromAddress: 'none' })).not.toContain('stored secrets')
    })

    test('an address of the profile does not get the token of the integration', async () => {
      const webhook = { url: `${elsewhere.url}/own` }
      await sendAndSettle(client, { event: 'webhook', recipient: 'redirected', profile: { webhook } })
      const request = await elsewhere.waitFor(({ path }) => path === '/own')
      expect(request.headers.authorization).toBeUndefined()
    })

    test('credentials of the same override go along', async () => {
      const config = { baseUrl: elsewhere.url, apiKey: 'own-key' }
      const message = await sendAndSettle(client, {
        event: 'sendgrid',
        recipient: 'own',
        profile,
        override: { sendgrid: { config } },
      })
      expect(message.status).toBe('SENT')
      const request = await elsewhere.waitFor(({ path }) => path === '/v3/mail/send')
      expect(request.headers.authorization).toBe('Bearer own-key')
    })
  })
})
