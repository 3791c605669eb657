/**
 * Mail through Postfix for real: STARTTLS, a password, an access token, an address beyond ASCII, and a bounce that
 * comes back.
 * @module-tag safety
 */
import { generateKeyPairSync } from 'node:crypto'
import type { MessageSendBody, Postrider } from '@postrider/client'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest'
import { clientOf, settled } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { type Postfix, postfixMissing, startPostfix } from '../support/peers/postfix.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'
import { integrate } from './templates.ts'

const missing = postfixMissing()
if (missing && process.env.CI) throw new Error(missing)
if (missing) console.warn(`The tests with Postfix are skipped. ${missing}`)

const API_KEY = `pk_prod_${'7'.repeat(48)}`
const count = (text: string, part: string) => text.split(part).length - 1
const content = { title: 'Hello', body: 'Good to see you.' }

describe.skipIf(missing !== undefined)('Postfix', () => {
  let postfix: Postfix
  let server: ServerProcess
  let client: Postrider
  /** The server of the next hop. */
  let relay: SmtpSink
  let tokens: Recorder
  let withPassword: string
  let withToken: string
  /** The access token that Dovecot accepts. */
  let active = 'token-1'

  beforeAll(async () => {
    const lmtpPort = await freePort()
    ;[relay, tokens] = await Promise.all([startSmtpSink(), startRecorder()])
    relay.script({
      recipient: (address) => (address.startsWith('gone') ? { code: 550, text: '5.1.1 No such user' } : undefined),
    })
    tokens.answer('/token', () => ({ body: { access_token: active, expires_in: 3_600 } }))
    tokens.answer('/introspect', ({ body }) => ({
      body: { active: new URLSearchParams(body).get('token') === active, username: 'oauth-user' },
    }))
    postfix = await startPostfix({
      user: 'postrider',
      password: 'right',
      introspectionUrl: `${tokens.url}/introspect`,
      routes: {
        'relay.test': `smtp:[127.0.0.1]:${relay.port}`,
        'bounces.test': `lmtp:inet:127.0.0.1:${lmtpPort}`,
      },
      mailboxes: ['jürgen@mailbox.test'],
    })
    server = await startServer({
      env: {
        ...(await databaseEnvironment()),
        POSTRIDER_API_KEY: API_KEY,
        POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
        POSTRIDER_LMTP_PORT: String(lmtpPort),
        NODE_EXTRA_CA_CERTS: postfix.certificateFile,
      },
    })
    client = clientOf(server.url, API_KEY)
    const key = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey
    const submission = { host: 'localhost', port: postfix.port, security: 'starttls', fromAddress: 'news@example.test' }
    const password = { ...submission, user: 'postrider', password: 'right' }
    const dkim = { dkimDomain: 'example.test', dkimSelector: 's1', dkimPrivateKey: key }
    const bounces = { bounceAddress: 'bounces@bounces.test' }
    const oauth = { clientId: 'client-1', refreshToken: 'refresh-1', tokenUrl: `${tokens.url}/token` }
    withPassword = (
      await integrate(client, { provider: 'smtp', title: 'Password', settings: { ...password, ...dkim, ...bounces } })
    ).id
    const token = { ...submission, user: 'oauth-user', ...oauth }
    withToken = (await integrate(client, { provider: 'smtp', title: 'Token', settings: token })).id
  })
  afterAll(async () => {
    server?.kill()
    await server?.exited
    await postfix?.stop()
    await Promise.all([relay?.close(), tokens?.close()])
  })

  beforeEach(() => onTestFailed(() => console.error(postfix.log().slice(-8_000), server.output().slice(-4_000))))

  async function sendBy(integration: string, email: string) {
    const routing = { method: 'single', channels: [{ channel: 'email', providers: [integration] }] }
    const { requestId } = await client.send({ message: { to: { email }, content, routing } } as MessageSendBody)
    return settled(client, requestId)
  }
  const relayed = (address: string) => relay.waitFor(({ to }) => to.includes(address))

  test('a mail is submitted over STARTTLS with a password, and its DKIM signature is relayed', async () => {
    const message = await sendBy(withPassword, 'ada@relay.test')
    expect(message).toMatchObject({ status: 'SENT' })
    expect(message.providers).toMatchObject([{ reference: { response: expect.stringMatching(/2\.0\.0 Ok: queued/) } }])
    const { raw, from, parsed } = await relayed('ada@relay.test')
    expect(from).toMatch(/^bounces\+\w{52}@bounces\.test$/)
    expect(parsed.subject).toBe('Hello')
    // RFC 3848: S for TLS, A for a login.
    expect(raw).toContain('with ESMTPSA')
    expect(raw).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256;/m)
  })

  test('access tokens open sessions, and one that has ended is replaced', async () => {
    const first = await Promise.all([1, 2, 3, 4].map((n) => sendBy(withToken, `token-${n}@relay.test`)))
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 'SENT'))
    const requests = () => tokens.all.filter(({ path }) => path === '/token')
    expect(requests()).toHaveLength(1)
    active = 'token-2'
    // An open session stays signed in: they end after 15 s without a mail.
    await until(
      async () => postfix.log(),
      (log) => count(log, ': connect from') === count(log, ': disconnect from'),
    )
    expect((await sendBy(withToken, 'renewed@relay.test')).status).toBe('SENT')
    expect(requests()).toHaveLength(2)
    await relayed('renewed@relay.test')
  })

  test('an address beyond ASCII gets its mail by SMTPUTF8', async () => {
    expect(await sendBy(withPassword, 'jürgen@mailbox.test')).toMatchObject({ status: 'SENT' })
    const [storedMail = ''] = await until(
      async () => postfix.mailsOf('jürgen@mailbox.test'),
      (mails) => mails.length > 0,
    )
    expect((await PostalMime.parse(storedMail)).to).toEqual([{ name: '', address: 'jürgen@mailbox.test' }])
    expect(storedMail).toContain('with UTF8SMTPSA')
  })

  test.each(['gone@relay.test', 'gone-ü@relay.test'])(
    'the bounce of %s, which the next server does not know, comes back by LMTP: the address is suppressed',
    async (address) => {
      const { id, status } = await sendBy(withPassword, address)
      expect(status).toBe('SENT')
      const bounced = await until(
        () => client.messages.get(id),
        (message) => message.status === 'UNDELIVERABLE',
      )
      expect(bounced).toMatchObject({ reason: 'BOUNCED', error: expect.stringContaining('5.1.1') })
      expect((await client.suppressions.list({ address })).results).toMatchObject([{ reason: 'hard_bounce' }])
    },
  )
})
