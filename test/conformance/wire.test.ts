/** The documented calls of the public API, word for word over raw HTTP; the titles carry the numbers of the case list. */
import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type Answer, type Ask, eachHouse, type House } from '../system/house.ts'
import { publish } from '../system/templates.ts'

const ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/
const UNKNOWN = '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5'

eachHouse((open) => {
  let house: House
  const event = 'EXAMPLE_NOTIFICATION'

  beforeAll(async () => {
    house = await open()
    await publish(house.client, event, { channels: ['sms', 'email'] })
  })

  const ask = async (method: string, path: string, options?: Ask) => {
    const answer = await house.ask(method, path, options)
    // Clients compare the type as a whole; a reply without a body has none (54).
    if (answer.text !== '') expect(answer.headers.get('content-type')).toBe('application/json')
    else expect(answer.headers.get('content-type')).toBeNull()
    return answer
  }
  const refused = (answer: Answer, status: number, type = 'invalid_request_error') => {
    expect(answer.status).toBe(status)
    expect(answer.json).toEqual({ message: expect.stringMatching(/./), type })
  }
  const settledMessage = (id: string) =>
    until(
      () => ask('GET', `/messages/${id}`).then(({ json }) => json),
      ({ status }) => !['ENQUEUED', 'ROUTED'].includes(status),
    )
  const sendAs = async (body: object) => {
    const answer = await ask('POST', '/send', { body })
    expect(answer.status).toBe(200)
    return settledMessage(answer.json.messageId)
  }

  describe('send', () => {
    const documented = {
      event,
      recipient: '8ec8c99a-c5f7-455b-9f60-8222b8a27056',
      profile: { email: 'hello@example.com', phone_number: '2025550125' },
      data: { name: 'Jane Doe', age: 27 },
    }

    test('1: the documented call answers with a message id and nothing else', async () => {
      const answer = await ask('POST', '/send', { body: documented })
      expect(answer.status).toBe(200)
      expect(answer.json).toEqual({ messageId: expect.stringMatching(ID) })
    })

    test.each(['application/x-www-form-urlencoded', 'application/json'])('2: as a form under %s', async (type) => {
      const fields = {
        event,
        recipient: 'form',
        'profile[email]': 'a@b.co',
        'data[name]': 'Jane',
        'data[deep][a]': '1',
      }
      const body = new URLSearchParams(fields).toString()
      const answer = await ask('POST', '/send', { body, headers: { 'content-type': type } })
      expect(answer.status).toBe(200)
      const { json } = await ask('GET', `/messages/${answer.json.messageId}/history?type=ENQUEUED`)
      expect(json.results[0]).toMatchObject({
        profile: { email: 'a@b.co' },
        data: { name: 'Jane', deep: { a: '1' } },
      })
    })

    test('3: without a recipient it is refused', async () => {
      refused(await ask('POST', '/send', { body: { event } }), 400)
    })

    test('9: an unknown event becomes UNMAPPED', async () => {
      const message = await sendAs({ event: 'no-such-event', recipient: 'r' })
      expect(message.status).toBe('UNMAPPED')
      const { json } = await ask('GET', `/messages/${message.id}/history`)
      expect(json.results.map(({ type }: { type: string }) => type)).toEqual(['ENQUEUED', 'UNMAPPED'])
    })

    test('10: who cannot be reached becomes UNROUTABLE', async () => {
      expect(await sendAs({ event, recipient: 'r', profile: {} })).toMatchObject({
        status: 'UNROUTABLE',
        reason: 'NO_PROVIDERS',
        error: 'No providers added',
        providers: [],
      })
    })

    test('11: who opted out is not sent to', async () => {
      const preferences = { notifications: { [event]: { status: 'OPTED_OUT' } } }
      expect(await sendAs({ ...documented, preferences })).toMatchObject({
        status: 'UNDELIVERABLE',
        reason: 'UNSUBSCRIBED',
        error: 'Notification opted out by user',
      })
    })

    test('13: of several channels the first that can reach the recipient is used', async () => {
      const used = async (profile: object) =>
        (await sendAs({ event, recipient: 'r', profile })).providers.map(
          (one: { channel: { key: string } }) => one.channel.key,
        )
      expect(await used(documented.profile)).toEqual(['sms'])
      expect(await used({ email: 'a@b.co' })).toEqual(['email'])
    })

    test('14: with `all` each channel is used once', async () => {
      await publish(house.client, 'all', { routing: { method: 'all', channels: ['sms', 'email'] } })
      const message = await sendAs({ ...documented, event: 'all' })
      await until(
        () => ask('GET', `/mailbox?message_id=${message.id}`),
        ({ json }) => json.results.length === 2,
      )
      const { providers } = (await ask('GET', `/messages/${message.id}`)).json
      expect(providers.map((one: { channel: { key: string } }) => one.channel.key).sort()).toEqual(['email', 'sms'])
    })

    test('20: the same key answers the same', async () => {
      const headers = { 'idempotency-key': 'case-20' }
      const [first, second] = [
        await ask('POST', '/send', { body: documented, headers }),
        await ask('POST', '/send', { body: documented, headers }),
      ]
      expect([second.status, second.text]).toEqual([first.status, first.text])
    })

    test('21: a refused call does not use up its key', async () => {
      const headers = { 'idempotency-key': 'case-21' }
      refused(await ask('POST', '/send', { body: { event }, headers }), 400)
      expect((await ask('POST', '/send', { body: documented, headers })).status).toBe(200)
    })

    test('22: a variable without a value stays as it is written', async () => {
      await publish(house.client, 'greeting', { channels: ['email'], content: { title: 'T', body: 'Hello {name}' } })
      const message = await sendAs({ event: 'greeting', recipient: 'r', profile: { email: 'a@b.co' } })
      const { json } = await ask('GET', `/messages/${message.id}/output`)
      expect(json.results[0].content.text).toContain('Hello {name}')
    })

    test('23: a loop writes a line for each item', async () => {
      const text = { type: 'text', content: '{{$.item.name}} listed at {{$.item.price}}', loop: 'data.products' }
      await publish(house.client, 'products', {
        channels: ['email'],
        content: { version: '2022-01-01', elements: [text] },
      })
      const products = [
        { name: 'Mouse', price: '$10' },
        { name: 'Keyboard', price: '$20' },
      ]
      const message = await sendAs({
        event: 'products',
        recipient: 'r',
        profile: { email: 'a@b.co' },
        data: { products },
      })
      const { json } = await ask('GET', `/messages/${message.id}/output`)
      const lines = json.results[0].content.text.split('\n').filter((line: string) => line.trim() !== '')
      expect(lines).toEqual(['Mouse listed at $10', 'Keyboard listed at $20'])
    })
  })

  describe('profiles and events', () => {
    const SUCCESS = { status: 'SUCCESS' }
    const write = async (method: string, id: string, body: unknown) => {
      const answer = await ask(method, `/profiles/${id}`, { body })
      expect([answer.status, answer.json]).toEqual([200, SUCCESS])
    }
    const stored = async (id: string) => (await ask('GET', `/profiles/${id}`)).json.profile

    test('23b: POST with a patch is a patch', async () => {
      await write('POST', 'p', { patch: [{ op: 'add', path: '/email', value: 'a@b.c' }] })
      expect(await stored('p')).toEqual({ email: 'a@b.c' })
    })

    test('24: PATCH creates, and replaces one key', async () => {
      await write('PATCH', 'new', { patch: [] })
      await write('PUT', 'known', { profile: { email: 'old@example.com', name: 'Ada' } })
      await write('PATCH', 'known', { patch: [{ op: 'replace', path: '/email', value: 'test@example.com' }] })
      expect([await stored('new'), await stored('known')]).toEqual([{}, { email: 'test@example.com', name: 'Ada' }])
    })

    test('25: a patch that fails changes nothing', async () => {
      await write('PUT', 'whole', { profile: { a: 1 } })
      const patch = [
        { op: 'add', path: '/b', value: 2 },
        { op: 'test', path: '/a', value: 7 },
      ]
      refused(await ask('PATCH', '/profiles/whole', { body: { patch } }), 400)
      expect(await stored('whole')).toEqual({ a: 1 })
    })

    test('26: PUT replaces', async () => {
      for (const profile of [{ a: 1, b: 2 }, { a: 3 }, {}]) {
        await write('PUT', 'replaced', { profile })
        expect(await stored('replaced')).toEqual(profile)
      }
    })

    test('27: POST merges', async () => {
      for (const profile of [{ a: 1 }, { b: 2 }, {}]) await write('POST', 'merged', { profile })
      expect(await stored('merged')).toEqual({ a: 1, b: 2 })
      const whole = (await ask('GET', '/profiles/merged')).json
      expect(whole.preferences).toEqual({ notifications: {}, categories: {} })
    })

    test('34: an event is mapped and read back', async () => {
      const body = { id: 'notification-id-1', type: 'notification' }
      const answer = await ask('PUT', '/events/new-user', { body })
      expect([answer.status, answer.json]).toEqual([200, SUCCESS])
      expect((await ask('GET', '/events/new-user')).json).toEqual({ event: 'new-user', ...body })
      refused(await ask('PUT', '/events/new-user', { body: { ...body, type: 'x' } }), 400)
    })
  })

  describe('messages', () => {
    const delivered = () => sendAs({ event, recipient: 'reader', profile: { email: 'a@b.co' } })

    test('36 and 37: the record and the history, whole and by type', async () => {
      const message = await delivered()
      expect(message).toMatchObject({ status: 'DELIVERED', providers: [{ provider: 'mailbox', status: 'DELIVERED' }] })
      expect(message.enqueued).toBeLessThanOrEqual(message.sent)
      expect(message.sent).toBeLessThanOrEqual(message.delivered)
      const history = async (query: string) => ask('GET', `/messages/${message.id}/history${query}`)
      const types = (answer: Answer) => answer.json.results.map(({ type }: { type: string }) => type)
      expect(types(await history(''))).toEqual([
        'ENQUEUED',
        'MAPPED',
        'PROFILE_LOADED',
        'RENDERED',
        'SENT',
        'DELIVERED',
      ])
      expect(types(await history('?type=DELIVERED'))).toEqual(['DELIVERED'])
      expect((await history('?type=SENT')).json.results[0]).toMatchObject({
        channel: { id: expect.any(String) },
        integration: { id: expect.any(String), provider: 'mailbox' },
      })
      refused(await history('?type=BOGUS'), 400)
    })

    test('38: what is unknown is a 404', async () => {
      for (const rest of ['', '/history', '/output']) refused(await ask('GET', `/messages/${UNKNOWN}${rest}`), 404)
    })

    test('39: pages of ten, without a repetition while new ones arrive', async () => {
      for (let n = 0; n < 25; n += 1) await ask('POST', '/send', { body: { event: 'no-such', recipient: 'pages' } })
      const pages: string[][] = []
      let cursor: string | undefined
      do {
        const { json } = await ask('GET', `/messages?recipient=pages${cursor ? `&cursor=${cursor}` : ''}`)
        pages.push(json.results.map(({ id }: { id: string }) => id))
        cursor = json.paging.cursor
        expect(json.paging.more).toBe(cursor !== undefined)
        if (pages.length === 1) await ask('POST', '/send', { body: { event: 'no-such', recipient: 'pages' } })
      } while (cursor)
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
      expect(new Set(pages.flat()).size).toBe(25)
    })

    test('40: every way clients write a query means the same', async () => {
      await delivered()
      const ids = async (query: string) => {
        const { status, json } = await ask('GET', `/messages?recipient=reader&${query}`)
        expect([query, status]).toEqual([query, 200])
        return json.results.map(({ id }: { id: string }) => id)
      }
      const all = await ids('')
      expect(all.length).toBeGreaterThan(0)
      for (const absent of ['cursor=undefined&status=undefined', 'cursor=null', 'status=', 'tags=&list=undefined'])
        expect(await ids(absent)).toEqual(all)
      for (const both of [
        'status[]=OPENED&status[]=DELIVERED',
        'status=OPENED&status=DELIVERED',
        'status=OPENED,DELIVERED',
        'status%5B%5D=DELIVERED',
        'status=OPENED%252CDELIVERED',
      ])
        expect(await ids(both)).toEqual(all)
      expect(await ids('status=OPENED')).toEqual([])
    })

    test('41: what waits is cancelled, what was sent is a 409 with the record', async () => {
      const { json } = await ask('POST', '/send', { body: { event, recipient: 'r', delay: { duration: 120_000 } } })
      const canceled = await ask('POST', `/messages/${json.messageId}/cancel`)
      expect(canceled.status).toBe(200)
      expect(canceled.json).toMatchObject({ status: 'CANCELED', canceledAt: expect.any(Number) })
      const message = await delivered()
      const late = await ask('POST', `/messages/${message.id}/cancel`)
      expect([late.status, late.headers.get('x-should-retry')]).toEqual([409, 'false'])
      expect(late.json).toMatchObject({ id: message.id, status: 'DELIVERED' })
    })
  })

  describe('for every call', () => {
    test('53: a missing or wrong key is a 401, Basic with the key as password is accepted', async () => {
      refused(await ask('GET', '/messages', { apiKey: '' }), 401, 'authentication_error')
      refused(await ask('GET', '/messages', { apiKey: 'pk_prod_wrong' }), 401, 'authentication_error')
      const basic = Buffer.from(`me@example.com:${house.apiKey}`).toString('base64')
      const answer = await ask('GET', '/messages', { apiKey: '', headers: { authorization: `Basic ${basic}` } })
      expect(answer.status).toBe(200)
    })

    test('an unknown path and a wrong method are a 404 in the same words', async () => {
      for (const [method, path] of [
        ['GET', '/nowhere'],
        ['DELETE', '/send'],
      ] as const) {
        const answer = await ask(method, path)
        refused(answer, 404)
        expect(answer.json.message).toBe('Not Found')
      }
    })

    test('55: a body of 6 MB and one byte is a 413', async () => {
      const body = `{"event":"e","recipient":"r","data":{"a":"${'x'.repeat(6 * 1_048_576)}"}}`
      refused(await ask('POST', '/send', { body: body.slice(0, 6 * 1_048_576 - 3) + body.slice(-4) }), 413)
    })
  })
})
