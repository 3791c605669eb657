/** Webhooks are created, changed and deleted; their secret is shown once, and their deliveries are listed. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { addWebhookDeliveries } from '../support/rows.ts'

const url = 'https://hooks.example.com/a?b=c'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const create = (body: object, key?: string) => api.call('POST', '/webhooks', { body, ...(key && { apiKey: key }) })
  const get = async (id: string) => (await api.call('GET', `/webhooks/${id}`)).json
  const remove = (id: string) => api.call('DELETE', `/webhooks/${id}`)

  test('one that is made has a secret, which is shown this once and is nowhere in the database', async () => {
    const made = await create({ url })
    expect(made.status).toBe(201)
    const { secret, ...record } = made.json
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect(record).toEqual({
      id: expect.stringMatching(/^[A-Z0-9]{28}$/),
      url,
      types: ['message:updated'],
      enabled: true,
      signed: true,
      created: api.time.now,
      updated: api.time.now,
    })
    expect(await get(record.id)).toEqual(record)
    expect((await api.call('GET', '/webhooks')).json).toEqual({ results: [record] })
    const { rows } = await api.engine.run({ text: 'select * from webhooks', values: [] })
    expect(JSON.stringify(rows)).not.toContain(secret)
    await remove(record.id)
  })

  test('a secret can be given, taken away and given again, and is not shown by a change', async () => {
    const { id, signed } = (await create({ url, secret: null })).json
    expect(signed).toBe(false)
    const change = async (body: object) => (await api.call('PUT', `/webhooks/${id}`, { body })).json
    const webhook = await change({ secret: 'a-secret-of-my-own' })
    expect([webhook.signed, webhook.secret]).toEqual([true, undefined])
    expect((await change({ enabled: false })).signed).toBe(true)
    expect((await change({ secret: null })).signed).toBe(false)
    await remove(id)
  })

  test.each(['http://127.0.0.1:9000/', 'http://10.1.2.3', 'http://[::1]/', 'http://0x7f.1/', 'http://LOCALHOST:1'])(
    'a private address (%s) is refused with the name of the setting, when it is made and when it is changed',
    async (private_) => {
      const { id } = (await create({ url })).json
      for (const answer of [
        await create({ url: private_ }),
        await api.call('PUT', `/webhooks/${id}`, { body: { url: private_ } }),
      ]) {
        expect(answer.status).toBe(400)
        expect(answer.json.message).toContain('POSTRIDER_ALLOW_PRIVATE_NETWORK')
      }
      expect(await get(id)).toMatchObject({ url })
      await remove(id)
    },
  )

  test('a change leaves alone what it does not name', async () => {
    const { id } = (await create({ url, types: ['notification:published'] })).json
    api.time.now += 1_000
    const changed = await api.call('PUT', `/webhooks/${id}`, { body: { enabled: false } })
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { url, types: ['notification:published'], enabled: false },
    ])
    expect(changed.json.updated).toBe(api.time.now)
    expect(await get(id)).toEqual(changed.json)
    await remove(id)
  })

  test.each([
    ['no address', {}, /url is required/],
    ['an address of another kind', { url: 'ftp://example.com' }, /^url/],
    ['half an address', { url: 'https://' }, /url must be a web address/],
    ['credentials in the address', { url: 'https://a:b@example.com' }, /without user name and password/],
    ['an address with a space', { url: 'https://example.com/a b' }, /url must be a web address/],
    ['an address that is too long', { url: `https://example.com/${'a'.repeat(2_048)}` }, /2048/],
    ['a type that is none', { url, types: ['message:lost'] }, /types/],
    ['no type', { url, types: [] }, /types/],
    ['a type twice', { url, types: ['message:updated', 'message:updated'] }, /types/],
    ['a short secret', { url, secret: 'short' }, /secret/],
    ['a secret with a line break', { url, secret: 'a-secret-with-a-\nbreak' }, /secret/],
  ])('%s is refused, and nothing is made', async (_what, body, message) => {
    const refused = await create(body)
    expect([refused.status, refused.json.type]).toEqual([400, 'invalid_request_error'])
    expect(refused.json.message).toMatch(message)
    expect((await api.call('GET', '/webhooks')).json.results).toEqual([])
  })

  test('the twenty-first is a conflict that clients do not repeat', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => create({ url })))
    const late = await create({ url })
    expect([late.status, late.headers.get('x-should-retry')]).toEqual([409, 'false'])
    for (const { json } of made) await remove(json.id)
  })

  test('a foreign one answers like a missing one', async () => {
    const { id } = (await create({ url }, keys.test)).json
    for (const [method, path, body] of [
      ['GET', ''],
      ['PUT', '', { enabled: false }],
      ['DELETE', ''],
      ['GET', '/deliveries'],
    ] as const) {
      const foreign = await api.call(method, `/webhooks/${id}${path}`, body && { body })
      const missing = await api.call(method, `/webhooks/none${path}`, body && { body })
      expect([foreign.status, foreign.text]).toEqual([404, missing.text])
    }
    const reply = await api.call('GET', `/webhooks/${id}`, { apiKey: keys.test })
    expect(reply.json.enabled).toBe(true)
  })

  test('deliveries are listed newest first, page by page and by status', async () => {
    const { id } = (await create({ url, types: ['notification:published'] })).json
    const happened = Array.from({ length: 60 }, (_, n) => ({
      workspaceId: 1,
      type: 'notification:published',
      data: { n },
    }))
    await addWebhookDeliveries(api.engine, happened, api.time.now)
    const page = async (query: string) => (await api.call('GET', `/webhooks/${id}/deliveries?${query}`)).json
    const first = await page('')
    const second = await page(`cursor=${first.paging.cursor}`)
    expect([first.results.length, second.results.length, second.paging.more]).toEqual([50, 10, false])
    const ids = [...first.results, ...second.results].map((webhook: { id: string }) => webhook.id)
    expect(ids).toEqual([...ids].sort().reverse())
    expect(first.results[0]).toEqual({
      id: expect.stringContaining(id),
      type: 'notification:published',
      status: 'WAITING',
      attempts: 0,
      created: api.time.now,
      next_attempt_at: api.time.now,
    })
    const end = (at: number, delivered: number | null, error: string | null) => ({
      text: 'update webhook_deliveries set due_at = null, attempts = 1, delivered = $2, error = $3 where id = $1',
      values: [ids[at], delivered, error],
    })
    await api.engine.batch([end(0, api.time.now, null), end(1, null, '400 Bad Request')])
    expect((await page('status=DELIVERED')).results).toMatchObject([{ id: ids[0], delivered: api.time.now }])
    const [failed] = (await page('status=FAILED')).results
    expect(failed).toMatchObject({ id: ids[1], error: '400 Bad Request' })
    expect(failed).not.toHaveProperty('next_attempt_at')
    expect((await page('status=WAITING')).results[0].id).toBe(ids[2])
    expect((await api.call('GET', `/webhooks/${id}/deliveries?status=LOST`)).status).toBe(400)
    await remove(id)
  })
})
