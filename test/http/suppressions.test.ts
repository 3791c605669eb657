/** The list of suppressed addresses: added, found in any spelling, filtered, paged and removed; each workspace has its own. */
import { expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  const add = (...suppressions: object[]) => api.call('POST', '/suppressions', { body: { suppressions } })
  const list = async (query = '') => (await mustCall(api, 'GET', `/suppressions${query}`)).results

  test('an address is one entry in every spelling, and keeps the first', async () => {
    api = await open({ pipeline: 'recording' })
    const first = await add({ address: 'Ada@Example.com', reason: 'complaint', note: 'By letter' })
    expect([first.status, first.json]).toEqual([200, { added: 1, existing: 0 }])
    const again = await add(
      { address: '"Ada" <ADA@example.com>' },
      { address: 'ada@example.com <ada@example.com>' },
      { address: '+1 (202) 555-0143' },
      { address: '0012025550143', reason: 'unsubscribed' },
      { address: 'APA91b-token', kind: 'device_token', reason: 'invalid_address' },
    )
    expect(again.json).toEqual({ added: 2, existing: 1 })
    const entry = { kind: 'email', address: 'ada@example.com', reason: 'complaint', note: 'By letter' }
    for (const text of ['ada@example.com', 'ADA@EXAMPLE.COM'])
      expect(await list(`?address=${text}`)).toEqual([
        { ...entry, id: expect.any(String), source: expect.stringMatching(/^key\//), created: api.time.now },
      ])
    expect(await list(`?address=${encodeURIComponent('+12025550143')}`)).toMatchObject([
      { kind: 'phone_number', address: '+12025550143', reason: 'manual' },
    ])
    expect(await list('?address=APA91b-token&kind=device_token')).toHaveLength(1)
    expect(await list('?address=bob@example.com')).toEqual([])
    const { results } = await mustCall(api, 'GET', '/audit-events')
    expect(results[0]).toMatchObject({ type: 'suppression:added', target: '' })
  })

  test('the list is filtered and paged, newest first', async () => {
    expect((await list('?kind=phone_number')).length).toBe(1)
    expect((await list('?reason=invalid_address')).map(({ kind }: { kind: string }) => kind)).toEqual(['device_token'])
    expect(await list('?kind=email&reason=manual')).toEqual([])
    const addresses: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { results, paging } = await mustCall(api, 'GET', `/suppressions?limit=2${cursor && `&cursor=${cursor}`}`)
      addresses.push(...results.map(({ address }: { address: string }) => address))
      cursor = paging.cursor
    }
    expect(addresses).toEqual(['APA91b-token', '+12025550143', 'ada@example.com'])
  })

  test('an entry that has ended is not listed, and is replaced', async () => {
    const ends = api.time.now + 60_000
    expect((await add({ address: 'for-a-while@example.com', ends: new Date(ends).toISOString() })).json.added).toBe(1)
    const [entry] = await list('?address=for-a-while@example.com')
    expect(entry.ends).toBe(ends)
    api.time.now = ends
    expect(await list('?address=for-a-while@example.com')).toEqual([])
    expect((await add({ address: 'for-a-while@example.com' })).json).toEqual({ added: 1, existing: 0 })
    expect((await list('?address=for-a-while@example.com'))[0].ends).toBeUndefined()
  })

  test('an entry is removed by its id, by its own workspace only', async () => {
    const [entry] = await list('?address=ada@example.com')
    const path = `/suppressions/${entry.id}`
    expect((await api.call('GET', '/suppressions', { apiKey: keys.test })).json.results).toEqual([])
    expect((await api.call('DELETE', path, { apiKey: keys.test })).status).toBe(204)
    expect(await list('?address=ada@example.com')).toHaveLength(1)
    for (let count = 0; count < 2; count += 1) expect((await api.call('DELETE', path)).status).toBe(204)
    expect(await list('?address=ada@example.com')).toEqual([])
  })

  test.each([
    [{ address: 'ada@' }, 'address', 'must be one email address'],
    [{ address: 'APA91b' }, 'kind', 'must be set'],
    [{ address: '+1', kind: 'phone_number' }, 'address', 'must be a telephone number'],
    [{ address: 'two words', kind: 'device_token' }, 'address', 'must be a device token'],
    [{ address: 'a@example.com', ends: '2001-01-01' }, 'ends', 'must be in the future'],
    [{ address: 'a@example.com', reason: 'because' }, 'reason', 'must be one of'],
  ])('%j is refused, and nothing of the call is stored', async (item, param, message) => {
    const { status, json } = await add({ address: 'beside@example.com' }, item)
    expect(status).toBe(400)
    expect(json.param).toBe(`suppressions.1.${param}`)
    expect(json.message).toContain(message)
    expect(await list('?address=beside@example.com')).toEqual([])
  })

  test('a call has 1 to 1,000 addresses', async () => {
    expect((await add()).status).toBe(400)
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ address: `many-${n}@example.com` }))
    expect((await add(...many(1_001))).status).toBe(400)
    expect((await add(...many(1_000))).json).toEqual({ added: 1_000, existing: 0 })
  })

  test('an import adds what it can, and says why the others are refused as by a call of their own', async () => {
    const refused = [
      { address: 'former', kind: 'email' },
      { address: 'neither' },
      { address: 'a@example.com', ends: '2001-01-01T00:00:00Z' },
      { note: 'Without an address' },
      { address: 'a@example.com', reson: 'manual' },
    ]
    const body = {
      suppressions: [
        { address: 'Import-1@Example.com' },
        ...refused,
        { address: 'import-1@example.com' },
        { address: 'import-2@example.com' },
      ],
    }
    const alone = await Promise.all(refused.map((item) => add(item)))
    const { status, json } = await api.call('POST', '/imports/suppressions', { body })
    expect([status, json.added, json.existing]).toEqual([200, 2, 0])
    const inRow = (text: string) => text.replaceAll('suppressions.0.', '')
    expect(json.errors).toMatchObject(
      alone.map(({ json: { code, param } }, n) => ({ row: n + 1, code, param: inRow(param) })),
    )
    expect(json.errors[0].error).toBe(inRow(alone[0]!.json.message))
    expect((await api.call('POST', '/imports/suppressions', { body })).json).toMatchObject({ added: 0, existing: 2 })
    expect(await list('?address=import-2@example.com')).toHaveLength(1)
  })
})
