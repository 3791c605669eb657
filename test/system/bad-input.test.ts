/** Bad input among real traffic is refused or becomes a status, and affects no other call. */
import type { Postrider } from '@postrider/client'
import { bodyBytesMax } from '@postrider/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { type App, sendAndSettle, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrateAll, profile, smtpUser } from './every-provider.ts'

/** Any but half of a pair; fast-check's own `binary` makes a table of them all first, which takes two seconds. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  let mail: SmtpSink

  beforeAll(async () => {
    ;[app, peer, mail] = await Promise.all([open(), startRecorder(), startSmtpSink(smtpUser)])
    client = app.client
    await integrateAll(client, peer, mail)
    await client.profiles.replace('ada', { profile: { name: 'Ada', tags: ['x'.repeat(500)] } })
  })
  afterAll(() => Promise.all([peer.close(), mail.close()]))

  const json = (text: string) => ({ body: text })
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const send = (data: string) => json(`{"event":"webhook","recipient":"bad","data":${data}}`)
  const filler = (bytes: number) => {
    const frame = '{"event":"webhook","recipient":"bad","data":{"a":""}}'
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
  }
  const doubling = Array.from({ length: 30 }, (_, n) => ({ op: 'copy', from: '', path: `/k${n}` }))

  /** Everything of the table that the API itself refuses. */
  const refused: [string, string, string, { body?: unknown; headers?: Record<string, string> }, number][] = [
    ['no recipient', 'POST', '/send', { body: { event: 'webhook' } }, 400],
    ['an empty event', 'POST', '/send', { body: { event: '', recipient: 'bad' } }, 400],
    ['a wrong type', 'POST', '/send', { body: { event: ['webhook'], recipient: 'bad' } }, 400],
    ['profile as a list', 'POST', '/send', { body: { event: 'webhook', recipient: 'bad', profile: [1] } }, 400],
    ['one byte beyond 6 MB', 'POST', '/send', json(filler(bodyBytesMax + 1)), 413],
    ['33 levels', 'POST', '/send', send(nested(32)), 400],
    ['a million levels', 'POST', '/send', send(nested(1_000_000)), 400],
    ['a key __proto__', 'POST', '/send', send('{"__proto__":{"admin":true}}'), 400],
    ['U+0000 in a value', 'POST', '/send', send('{"a":"\\u0000"}'), 400],
    ['U+0000 in a key', 'POST', '/send', send('{"\\u0000":1}'), 400],
    ['half a surrogate pair', 'POST', '/send', send('{"a":"\\udfff"}'), 400],
    ['invalid UTF-8', 'POST', '/send', { body: Buffer.from('{"event":"webhook","recipient":"\xff"}', 'latin1') }, 400],
    ['half of a body', 'POST', '/send', json('{"event":"webhook","recip'), 400],
    ['a patch that doubles', 'PATCH', '/profiles/ada', { body: { patch: doubling } }, 400],
    [
      'a patch on a prototype',
      'PATCH',
      '/profiles/ada',
      { body: { patch: [{ op: 'add', path: '/__proto__/x', value: 1 }] } },
      400,
    ],
    [
      'a patch whose test fails',
      'PATCH',
      '/profiles/ada',
      {
        body: {
          patch: [
            { op: 'remove', path: '/name' },
            { op: 'test', path: '/tags', value: 1 },
          ],
        },
      },
      400,
    ],
    ['a cursor of nothing', 'GET', '/messages?cursor=bm9uc2Vuc2U', {}, 400],
    ['a cursor that is no text', 'GET', '/messages?cursor=%FF%FE', {}, 400],
    ['an unknown status', 'GET', '/messages?status=LOST', {}, 400],
    [
      'an idempotency key of 256 characters',
      'POST',
      '/send',
      { body: { event: 'webhook', recipient: 'bad' }, headers: { 'idempotency-key': 'x'.repeat(256) } },
      400,
    ],
  ]

  test('inside a burst of good sends each bad one is refused, and every good one is delivered', async () => {
    const before = await client.profiles.get('ada')
    const good: Promise<ApiReply>[] = []
    const bad: Promise<[string, number, ApiReply]>[] = []
    for (const [what, method, path, options, status] of refused) {
      for (let n = 0; n < 5; n += 1)
        good.push(app.call('POST', '/send', { body: { event: 'webhook', recipient: 'good' } }))
      bad.push(app.call(method, path, options).then((answer) => [what, status, answer]))
    }
    for (const [what, status, answer] of await Promise.all(bad)) {
      expect([what, answer.status]).toEqual([what, status])
      expect(answer.json).toMatchObject({ message: expect.stringMatching(/./), type: 'invalid_request_error' })
    }
    const ids = (await Promise.all(good)).map((answer) => answer.json.messageId as string)
    const delivered = () =>
      new Set(peer.all.filter(({ path }) => path === '/hook').map(({ body }) => JSON.parse(body).messageId))
    await until(
      async () => delivered(),
      (seen) => ids.every((id) => seen.has(id)),
    )
    expect((await client.messages.list({ recipient: 'bad' })).results).toEqual([])
    expect(await client.profiles.get('ada')).toEqual(before)
  })

  test('a body of exactly 6 MB is a message like any other', async () => {
    const answer = await app.call('POST', '/send', { body: filler(bodyBytesMax).replace('"bad"', '"big"') })
    expect(answer.status).toBe(200)
    const message = await until(
      () => client.messages.get(answer.json.messageId),
      ({ status }) => status === 'DELIVERED',
    )
    expect(message.recipient).toBe('big')
  })

  test('JSON of every shape that is accepted comes back as it was', async () => {
    const values = fc.sample(
      fc.dictionary(fc.string({ unit: character }), fc.jsonValue({ stringUnit: character, maxDepth: 6 })),
      {
        numRuns: 60,
        seed: 7,
      },
    )
    const answers = await Promise.all(
      values.map(async (data) => ({
        data: JSON.parse(JSON.stringify(data)),
        answer: await app.call('POST', '/send', { body: { event: 'no-such-event', recipient: 'fuzz', data } }),
      })),
    )
    const accepted = answers.filter(({ answer }) => answer.status === 200)
    for (const { answer } of answers) expect([200, 400]).toContain(answer.status)
    expect(accepted.length).toBeGreaterThan(20)
    for (const { data, answer } of accepted) {
      const { results } = await client.messages.history(answer.json.messageId)
      expect((results[0] as { data?: unknown }).data).toEqual(data)
    }
  })

  test('an unknown event is a status, not an error of the call', async () => {
    expect((await sendAndSettle(client, { event: 'no-such-event', recipient: 'ada' })).status).toBe('UNMAPPED')
  })

  describe('a provider that answers with what no database takes', () => {
    // As JSON text: U+0000 and half a surrogate pair.
    const odd = '"x\\u0000\\ud800y"'
    const json = { 'content-type': 'application/json' }

    test.each([
      ['webhook', 'UNDELIVERABLE', '/hook', { status: 400, body: `{"message":${odd}}` }],
      [
        'twilio',
        'SENT',
        `/2010-04-01/Accounts/AC${'0'.repeat(32)}/Messages.json`,
        { status: 201, body: `{"sid":${odd}}` },
      ],
      ['slack', 'DELIVERED', '/chat.postMessage', { body: `{"ok":true,"channel":${odd},"ts":${odd}}` }],
      ['sendgrid', 'UNDELIVERABLE', '/v3/mail/send', { status: 400, body: `{"errors":[{"message":${odd}}]}` }],
    ])('%s: its message ends %s, after one call, and so do the others', async (event, status, path, answer) => {
      const before = peer.all.filter((call) => call.path === path).length
      peer.answer((call) => call.path === path, { headers: json, ...answer }, 1)
      const [message, ...others] = await Promise.all([
        sendAndSettle(client, { event, recipient: 'odd', profile }),
        ...Array.from({ length: 10 }, () => sendAndSettle(client, { event: 'no-such-event', recipient: 'beside' })),
      ])
      expect(message?.status).toBe(status)
      for (const other of others) expect(other.status).toBe('UNMAPPED')
      expect(peer.all.filter((call) => call.path === path)).toHaveLength(before + 1)
      expect((await client.messages.explain(message?.id ?? '')).deliveries).toMatchObject([{ attempts_total: 1 }])
    })
  })

  test('nothing of all that lies about in the queue', async () => {
    const { results } = await client.messages.list({ status: ['ENQUEUED', 'ROUTED'] })
    expect(results).toEqual([])
    expect((await app.call('GET', '/readyz')).status).toBe(200)
  })
})
