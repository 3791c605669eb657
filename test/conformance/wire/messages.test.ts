/** The documented calls about messages; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import type { ApiReply } from '../../support/api-client.ts'
import { type App, withApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { publish } from '../../system/templates.ts'
import { call, EVENT, refused, sendAs } from './wire.ts'

const UNKNOWN = '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    await publish(app.client, EVENT, { channels: ['sms', 'email'] })
  })

  const delivered = () => sendAs(app, { event: EVENT, recipient: 'reader', profile: { email: 'a@b.co' } })

  test('case 36: the record of a delivered message has its times in order', async () => {
    const message = await delivered()
    expect(message).toMatchObject({ status: 'DELIVERED', providers: [{ provider: 'mailbox', status: 'DELIVERED' }] })
    for (const timestamp of [message.enqueued, message.sent, message.delivered])
      expect(Number.isInteger(timestamp)).toBe(true)
    expect(message.enqueued).toBeLessThanOrEqual(message.sent)
    expect(message.sent).toBeLessThanOrEqual(message.delivered)
  })

  test('case 37: the history is whole, of one type, or refused', async () => {
    const message = await delivered()
    const history = async (query: string) => call(app, 'GET', `/messages/${message.id}/history${query}`)
    const types = (answer: ApiReply) => answer.json.results.map(({ type }: { type: string }) => type)
    expect(types(await history(''))).toEqual(['ENQUEUED', 'MAPPED', 'PROFILE_LOADED', 'RENDERED', 'SENT', 'DELIVERED'])
    expect(types(await history('?type=DELIVERED'))).toEqual(['DELIVERED'])
    expect((await history('?type=SENT')).json.results[0]).toMatchObject({
      channel: { id: expect.any(String) },
      integration: { id: expect.any(String), provider: 'mailbox' },
    })
    refused(await history('?type=BOGUS'), 400)
  })

  test('case 38: what is unknown is a 404', async () => {
    for (const rest of ['', '/history', '/output']) refused(await call(app, 'GET', `/messages/${UNKNOWN}${rest}`), 404)
  })

  test('case 39: pages of ten, without a repetition while new ones arrive', async () => {
    for (let n = 0; n < 25; n += 1) await call(app, 'POST', '/send', { body: { event: 'no-such', recipient: 'pages' } })
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const { json } = await call(app, 'GET', `/messages?recipient=pages${cursor ? `&cursor=${cursor}` : ''}`)
      pages.push(json.results.map(({ id }: { id: string }) => id))
      cursor = json.paging.cursor
      expect(json.paging.more).toBe(cursor !== undefined)
      if (pages.length === 1) await call(app, 'POST', '/send', { body: { event: 'no-such', recipient: 'pages' } })
    } while (cursor)
    expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
    expect(new Set(pages.flat()).size).toBe(25)
  })

  test('case 40: all forms of a query that clients write mean the same', async () => {
    await delivered()
    const ids = async (query: string) => {
      const { status, json } = await call(app, 'GET', `/messages?recipient=reader&${query}`)
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

  test('case 41: a waiting message is canceled, a sent one is a 409 with the record', async () => {
    const { json } = await call(app, 'POST', '/send', {
      body: { event: EVENT, recipient: 'r', delay: { duration: 120_000 } },
    })
    const canceled = await call(app, 'POST', `/messages/${json.messageId}/cancel`)
    expect(canceled.status).toBe(200)
    expect(canceled.json).toMatchObject({ status: 'CANCELED', canceledAt: expect.any(Number) })
    const message = await delivered()
    const late = await call(app, 'POST', `/messages/${message.id}/cancel`)
    expect([late.status, late.headers.get('x-should-retry')]).toEqual([409, 'false'])
    expect(late.json).toMatchObject({ id: message.id, status: 'DELIVERED' })
  })

  test('case 42: an archived request is left out of the messages without `archived=true`', async () => {
    const body = { message: { to: [{ user_id: 'archived' }, { user_id: 'archived-too' }], template: EVENT } }
    const { requestId } = (await call(app, 'POST', '/send', { body })).json
    const listed = async (more: string) =>
      (await call(app, 'GET', `/messages?traceId=${requestId}${more}`)).json.results.length
    await until(
      () => listed(''),
      (count) => count === 2,
    )
    const archived = await call(app, 'PUT', `/requests/${requestId}/archive`)
    expect([archived.status, archived.text]).toEqual([202, ''])
    expect([await listed(''), await listed('&archived=true')]).toEqual([0, 2])
  })
})
