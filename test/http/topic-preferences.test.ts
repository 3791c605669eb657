/**
 * The choices of a user by topic, in a tenant or anywhere, are stored and shown with the defaults that they override.
 */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { signedTokens } from '../support/open-calls.ts'
import { appSecretKey, keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  let section: string
  let orders: string
  let news: string
  let legal: string

  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
    section = (await api.call('POST', '/preferences/sections', { body: { name: 'Shop' } })).json.id
    const topic = async (name: string, default_status: string) => {
      api.time.now += 1
      const write = { name, default_status, routing_options: ['push'] }
      return (await api.call('POST', `/preferences/sections/${section}/topics`, { body: write })).json.id
    }
    orders = await topic('Orders', 'OPTED_IN')
    news = await topic('News', 'OPTED_OUT')
    legal = await topic('Legal', 'REQUIRED')
    await api.engine.run({
      text: `insert into tenants (workspace_id, id, name, parent_id, properties, user_profile, created, updated)
        values (1, 'group', 'Group', null, '{}', '{}', 0, 0), (1, 'acme', 'Acme', 'group', '{}', '{}', 0, 0)`,
      values: [],
    })
  })

  const at = (user: string, topic = '', tenant = '') =>
    `/users/${user}/preferences${topic && `/${topic}`}${tenant && `?tenant_id=${tenant}`}`
  const get = async (user: string, topic: string, tenant = '') =>
    (await api.call('GET', at(user, topic, tenant))).json.topic
  const put = (user: string, topic: string, choice: object, tenant = '') =>
    api.call('PUT', at(user, topic, tenant), { body: { topic: choice } })
  const setDefault = (tenant: string, topic: string, choice: object) =>
    api.call('PUT', `/tenants/${tenant}/default_preferences/items/${topic}`, { body: choice })
  const plain = { has_custom_routing: false, custom_routing: [] }
  const [optedIn, optedOut] = [{ status: 'OPTED_IN' }, { status: 'OPTED_OUT' }]

  test('a user who chose nothing has the default of every topic', async () => {
    const answer = await api.call('GET', at('unknown'))
    const shown = (topic_id: string, topic_name: string, status: string) => ({
      topic_id,
      topic_name,
      section_id: section,
      section_name: 'Shop',
      default_status: status,
      status,
      ...plain,
    })
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        paging: { more: false },
        items: [
          shown(orders, 'Orders', 'OPTED_IN'),
          shown(news, 'News', 'OPTED_OUT'),
          shown(legal, 'Legal', 'REQUIRED'),
        ],
      },
    ])
  })

  test('a choice is stored, shown, changed and taken back', async () => {
    const reply = await put('ada', orders, {
      status: 'OPTED_OUT',
      has_custom_routing: true,
      custom_routing: ['email'],
    })
    expect([reply.status, reply.json]).toEqual([200, { message: 'success' }])
    expect(await get('ada', orders)).toMatchObject({
      status: 'OPTED_OUT',
      default_status: 'OPTED_IN',
      has_custom_routing: true,
      custom_routing: ['email'],
    })
    await put('ada', orders, { status: 'OPTED_IN', has_custom_routing: null, custom_routing: null })
    expect(await get('ada', orders)).toMatchObject({ status: 'OPTED_IN', ...plain })
    await put('ada', orders, optedOut)
    for (let again = 0; again < 2; again += 1) expect((await api.call('DELETE', at('ada', orders))).status).toBe(204)
    expect(await get('ada', orders)).toMatchObject({ status: 'OPTED_IN' })
  })

  test('a required topic cannot be opted out of, an unknown one is a 404', async () => {
    const refused = await put('bea', legal, optedOut)
    expect([refused.status, refused.json.type]).toEqual([400, 'invalid_request_error'])
    expect(
      (await put('bea', legal, { status: 'REQUIRED', has_custom_routing: true, custom_routing: ['sms'] })).status,
    ).toBe(200)
    expect(await get('bea', legal)).toMatchObject({ status: 'REQUIRED', custom_routing: ['sms'] })
    const unknown = 'Unknown topic `nothing`. Topics are created with POST /preferences/sections/{section_id}/topics.'
    for (const method of ['GET', 'PUT']) {
      const answer = await api.call(method, at('bea', 'nothing'), {
        ...(method === 'PUT' && { body: { topic: optedIn } }),
      })
      expect([answer.status, answer.json]).toMatchObject([404, { message: unknown, type: 'invalid_request_error' }])
    }
  })

  test('a choice in a tenant holds there only and overrides the choice everywhere', async () => {
    await put('cem', orders, optedOut)
    await put('cem', orders, optedIn, 'acme')
    expect([
      await get('cem', orders),
      await get('cem', orders, 'acme'),
      await get('cem', orders, 'other'),
    ]).toMatchObject([optedOut, optedIn, optedOut])
    await api.call('DELETE', at('cem', orders, 'acme'))
    expect(await get('cem', orders, 'acme')).toMatchObject(optedOut)
  })

  test('the default of a tenant, else of the one above it, stands before that of the topic', async () => {
    const status = async (tenant: string) => (await get('dan', news, tenant)).default_status
    expect((await setDefault('group', news, { status: 'OPTED_IN' })).status).toBe(204)
    expect([await status('group'), await status('acme'), await status('')]).toEqual([
      'OPTED_IN',
      'OPTED_IN',
      'OPTED_OUT',
    ])
    await setDefault('acme', news, { status: 'REQUIRED', has_custom_routing: true, custom_routing: ['email'] })
    expect(await get('dan', news, 'acme')).toMatchObject({ status: 'REQUIRED', custom_routing: ['email'] })
    expect((await put('dan', news, optedOut, 'acme')).status).toBe(400)
    for (let again = 0; again < 2; again += 1)
      expect((await api.call('DELETE', `/tenants/acme/default_preferences/items/${news}`)).status).toBe(204)
    expect(await status('acme')).toBe('OPTED_IN')
    const [noTenant, noTopic] = [
      await setDefault('unknown', news, optedIn),
      await setDefault('acme', 'nothing', optedIn),
    ]
    expect([noTenant.status, noTenant.json.message]).toEqual([404, 'Unknown tenant `unknown`'])
    expect([noTopic.status, noTopic.json.message]).toEqual([404, expect.stringMatching(/^Unknown topic `nothing`\./)])
  })

  test('PUT of all topics is these and no others, or nothing at all', async () => {
    await put('eve', orders, optedOut)
    const put50 = (topics: object[]) => api.call('PUT', at('eve'), { body: { topics } })
    const wrong = await put50([
      { topic_id: news, ...optedIn },
      { topic_id: legal, ...optedOut },
      { topic_id: 'nothing', ...optedIn },
    ])
    expect(wrong.status).toBe(400)
    expect(wrong.json.errors.map(({ topic_id }: { topic_id: string }) => topic_id)).toEqual([legal, 'nothing'])
    expect(await get('eve', news)).toMatchObject(optedOut)
    const right = await put50([
      { topic_id: news, ...optedOut },
      { topic_id: news, ...optedIn, has_custom_routing: true, custom_routing: ['sms', 'email'] },
    ])
    const item = { topic_id: news, ...optedIn, has_custom_routing: true, custom_routing: ['sms', 'email'] }
    expect([right.status, right.json]).toEqual([200, { items: [item], deleted: [orders] }])
    expect(await get('eve', orders)).toMatchObject(optedIn)
    expect((await put50([])).json).toEqual({ items: [], deleted: [news] })
    expect((await put50(Array(51).fill({ topic_id: news, ...optedIn }))).status).toBe(400)
  })

  test('POST of some topics stores the valid ones and reports the others', async () => {
    await put('fay', orders, optedOut)
    const post = (topics: object[]) => api.call('POST', at('fay', '', 'acme'), { body: { topics } })
    const answer = await post([
      { topic_id: news, ...optedOut },
      { topic_id: legal, ...optedOut },
      { topic_id: 'nothing', ...optedIn },
    ])
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        items: [{ topic_id: news, ...optedOut, ...plain }],
        errors: [
          { topic_id: legal, reason: expect.stringContaining('required') },
          { topic_id: 'nothing', reason: expect.stringMatching(/^Unknown topic `nothing`\./) },
        ],
      },
    ])
    expect([await get('fay', news, 'acme'), await get('fay', orders)]).toMatchObject([optedOut, optedOut])
    expect((await post([])).status).toBe(400)
  })

  test('a topic that was archived is shown no more', async () => {
    const write = { name: 'Gone', default_status: 'OPTED_IN' }
    const { id } = (await api.call('POST', `/preferences/sections/${section}/topics`, { body: write })).json
    await api.call('DELETE', `/preferences/sections/${section}/topics/${id}`)
    expect((await api.call('GET', at('ada', id))).status).toBe(404)
    expect((await api.call('GET', at('ada'))).json.items).toHaveLength(3)
  })

  test('deleting the profile forgets every choice, in every tenant', async () => {
    await put('gus', orders, optedOut)
    await put('gus', orders, optedOut, 'acme')
    await api.call('DELETE', '/profiles/gus')
    expect([await get('gus', orders), await get('gus', orders, 'acme')]).toMatchObject([optedIn, optedIn])
  })

  test('another environment sees and touches nothing of it', async () => {
    await put('hal', orders, optedOut)
    const otherEnvironment = { apiKey: keys.test }
    expect((await api.call('GET', at('hal'), otherEnvironment)).json).toEqual({ paging: { more: false }, items: [] })
    expect((await api.call('GET', at('hal', orders), otherEnvironment)).status).toBe(404)
    expect((await api.call('PUT', at('hal', orders), { ...otherEnvironment, body: { topic: optedIn } })).status).toBe(
      404,
    )
    expect((await api.call('DELETE', at('hal', orders), otherEnvironment)).status).toBe(204)
    const tenant = `/tenants/acme/default_preferences/items/${orders}`
    expect((await api.call('PUT', tenant, { ...otherEnvironment, body: optedIn })).status).toBe(404)
    expect((await api.call('PUT', at('hal'), { ...otherEnvironment, body: { topics: [] } })).json.deleted).toEqual([])
    expect(await get('hal', orders)).toMatchObject(optedOut)
  })

  test('the page of preferences shows the same, in a tenant and outside any', async () => {
    const write = { routing_options: ['email', 'push'], allowed_preferences: ['channel_preferences'] }
    const create = async (name: string) => {
      api.time.now += 1
      const body = { ...write, name, default_status: 'OPTED_IN' }
      return (await api.call('POST', `/preferences/sections/${section}/topics`, { body })).json.id
    }
    const [chosen, above, nearest, required] = [
      ...[await create('Chosen'), await create('Above'), await create('Nearest'), await create('Required')],
    ]
    const pushOnly = { ...optedIn, has_custom_routing: true, custom_routing: ['push'] }
    await setDefault('group', above, optedOut)
    await setDefault('group', nearest, optedOut)
    await setDefault('acme', nearest, { ...pushOnly, custom_routing: ['email'] })
    await setDefault('group', required, { status: 'REQUIRED' })
    await put('ada-0', chosen, optedOut)
    await put('ada-0', chosen, pushOnly, 'acme')
    const shown = []
    for (const tenantId of ['', 'acme']) {
      const token = signedTokens(appSecretKey, '', { tenantId })['/p/:token']
      const { text } = await api.call('GET', `/p/${token}`, { apiKey: '' })
      const { items } = (await api.call('GET', at('ada-0', '', tenantId))).json
      for (const { topic_id, default_status, status, has_custom_routing, custom_routing } of items.slice(-4)) {
        const isChecked = (field: string) => text.includes(`${field}" checked>`)
        const channels = ['email', 'push'].filter((name) => isChecked(`name="channel" value="${topic_id} ${name}`))
        const all = default_status === 'REQUIRED' ? [] : ['email', 'push']
        expect([topic_id, isChecked(`name="on" value="${topic_id}`), channels]).toEqual([
          ...[topic_id, default_status !== 'REQUIRED' && status === 'OPTED_IN'],
          has_custom_routing ? custom_routing : all,
        ])
        shown.push([status, ...channels])
      }
    }
    expect(shown).toEqual([
      ...[['OPTED_OUT', 'email', 'push'], ...Array.from({ length: 3 }, () => ['OPTED_IN', 'email', 'push'])],
      ...[['OPTED_IN', 'push'], ['OPTED_OUT', 'email', 'push'], ['OPTED_IN', 'email'], ['REQUIRED']],
    ])
  })
})
