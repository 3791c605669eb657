/** One click in a mail program opts the recipient out of the topic: committed before the reply, recorded, and explained. */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { type App, settled, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate } from './templates.ts'

const publicUrl = 'https://post.example.com/mail'
const oneClick = { method: 'POST', body: 'List-Unsubscribe=One-Click' }
const asForm = { 'content-type': 'application/x-www-form-urlencoded' }

withApp((open) => {
  let app: App
  let smtp: SmtpSink
  let section: string
  let databaseUrl: string
  let count = 0
  const topicOf = async (more: object = {}) =>
    (await mustCall(app, 'POST', `/preferences/sections/${section}/topics`, {
      ...{ name: 'News', default_status: 'OPTED_IN' },
      ...more,
    })) as { id: string; include_unsubscribe_header: boolean }

  /** A mail as it arrives. */
  const mailTo = async (
    user: string,
    topic: string | undefined,
    more: object = {},
    context: object = {},
    apiKey = app.apiKey,
  ) => {
    const email = `${user}-${++count}@example.com`
    const message = {
      to: { user_id: user, email },
      content: { title: 'Hello', body: 'Stop: {unsubscribe_url} or {{$.urls.preferences}}' },
      routing: { method: 'single', channels: ['email'] },
      ...(topic && { preferences: { subscription_topic_id: topic } }),
      context,
      ...more,
    }
    const { requestId } = (await app.call('POST', '/send', { apiKey, body: { message } })).json
    const { id } = await settled(app.client, requestId)
    const mail = smtp.all.find(({ to }) => to.includes(email))
    if (!mail) throw new Error('No mail arrived')
    const header = (name: string) => mail.parsed.headers.find(({ key }) => key === name)?.value
    return { id, text: mail.parsed.text ?? '', url: header('list-unsubscribe'), post: header('list-unsubscribe-post') }
  }
  /** The address behind the proxy of the public one. */
  const local = (url: string) => url.replace(/^<?https:\/\/post\.example\.com\/mail(.*?)>?$/, `${app.url}$1`)
  const history = async (user: string) =>
    (await app.client.preferences.history(user)).results.map(({ id: _, created: _at, ...rest }) => rest)
  const statusOf = async (user: string, topic: string) =>
    (await mustCall(app, 'GET', `/users/${user}/preferences/${topic}`)).topic.status

  beforeAll(async () => {
    const env = {
      ...(await databaseEnvironment()),
      POSTRIDER_PUBLIC_URL: publicUrl,
      // Two proxies in a row.
      POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8,192.0.2.0/24',
    }
    databaseUrl = env.POSTRIDER_DATABASE_URL
    ;[app, smtp] = await Promise.all([open({ env }), startSmtpSink()])
    const settings = { host: '127.0.0.1', port: smtp.port, security: 'opportunistic', fromAddress: 'news@example.org' }
    await integrate(app.client, { provider: 'smtp', settings })
    section = (await mustCall(app, 'POST', '/preferences/sections', { name: 'Shop' })).id
  })
  afterAll(() => smtp?.close())

  test('a bare POST of the header opts out before its reply, once; the next send says by which message', async () => {
    const topic = await topicOf()
    expect(topic.include_unsubscribe_header).toBe(true)
    const mail = await mailTo('ada', topic.id)
    expect(mail.post).toBe('List-Unsubscribe=One-Click')
    expect(mail.url).toMatch(/^<https:\/\/post\.example\.com\/mail\/u\/[\w-]+\.[\w-]{22}>$/)
    expect(mail.text).toContain(String(mail.url).slice(1, -1))

    const url = local(String(mail.url))
    for (const method of ['GET', 'HEAD']) expect((await fetch(url, { method })).status).toBe(200)
    expect(await statusOf('ada', topic.id)).toBe('OPTED_IN')

    const client = { 'user-agent': 'Example Mail', 'x-forwarded-for': '203.0.113.9, 198.51.100.1, 192.0.2.7' }
    const reply = await fetch(url, { ...oneClick, headers: { ...asForm, ...client } })
    expect(reply.status).toBe(200)
    expect(await statusOf('ada', topic.id)).toBe('OPTED_OUT')
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200)
    const entry = { topic_id: topic.id, status: 'OPTED_OUT', source: 'one_click', actor: 'recipient' }
    expect(await history('ada')).toEqual([
      { ...entry, message_id: mail.id, ip: '198.51.100.1', user_agent: 'Example Mail' },
    ])

    const { requestId } = await mustCall(app, 'POST', '/send', {
      message: {
        to: { user_id: 'ada', email: 'ada@example.com' },
        content: { title: 'Again', body: 'Again' },
        preferences: { subscription_topic_id: topic.id },
      },
    })
    const later = await settled(app.client, requestId)
    expect(later).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' })
    const { steps } = await app.client.messages.explain(later.id)
    const step = steps.find(({ step }) => step === 'preferences')
    expect(step?.summary).toMatch(
      new RegExp(`^The recipient unsubscribed by one click in the header of the message \`${mail.id}\`, 20.*Z\\.$`),
    )
    expect(step?.facts).toMatchObject({ change: { source: 'one_click', message_id: mail.id } })
  })

  test('a topic with a chosen id, however long, is opted out of by one click', async () => {
    for (const id of ['weekly news', '"<ü>&\''.padEnd(512, 'x')]) {
      expect(await topicOf({ id })).toMatchObject({ id })
      const mail = await mailTo('ida', id)
      expect((await fetch(local(String(mail.url)), { ...oneClick, headers: asForm })).status).toBe(200)
      expect(await statusOf('ida', encodeURIComponent(id))).toBe('OPTED_OUT')
    }
  })

  test('neither a mock key nor one that may not act for others gets a link of a person: neither of what it simulates nor of what others have sent', async () => {
    const topic = await topicOf()
    const mail = await mailTo('uma', topic.id)
    const { apiKey, client } = await app.key('mock')
    const message = {
      to: { user_id: 'uma', email: 'uma@example.com' },
      content: { title: 'Hello', body: 'Stop: {unsubscribe_url} or {{$.urls.preferences}}' },
      preferences: { subscription_topic_id: topic.id },
    }
    const simulated = (await app.call('POST', '/send', { apiKey, body: { message } })).json.requestId
    await settled(client, simulated)
    const sample = /^https:\/\/post\.example\.com\/mail\/[up]\/sample$/
    for (const id of [simulated, mail.id])
      for (const path of ['output', 'history', 'explain', 'output/email/text'].map(
        (part) => `/messages/${id}/${part}`,
      )) {
        const { text } = await app.call('GET', path, { apiKey })
        const links = text.match(/https:\/\/post\.example\.com\/mail\/[up]\/[\w.-]+/g) ?? []
        expect([path, links.filter((link) => !sample.test(link))]).toEqual([path, []])
        if (path.endsWith('output')) expect(links.length).toBeGreaterThan(1)
      }
    for (const role of ['editor', 'reader'] as const) {
      const { key } = await app.client.keys.create({ role })
      for (const path of ['output', 'history', 'explain', 'output/email/text']) {
        const { text } = await app.call('GET', `/messages/${mail.id}/${path}`, { apiKey: key })
        const links = text.match(/https:\/\/post\.example\.com\/mail\/[up]\/[\w.-]+/g) ?? []
        expect([role, path, links.filter((link) => !sample.test(link))]).toEqual([role, path, []])
      }
    }
    // Those of a simulated message are samples for everyone.
    expect((await app.call('GET', `/messages/${simulated}/output`)).text).not.toMatch(/\/u\/(?!sample)/)
    expect(await statusOf('uma', topic.id)).toBe('OPTED_IN')
  })

  test('a draft key gets no link of a person, to whatever address it sends', async () => {
    const topic = await topicOf()
    const { apiKey } = await app.key('draft')
    const mail = await mailTo('uma', topic.id, {}, {}, apiKey)
    expect(mail.url).toBe(`<${publicUrl}/u/sample>`)
    expect(mail.text.match(/\/[up]\/[\w.-]+/g)).toEqual(['/u/sample', '/p/sample'])
  })

  test('a multipart form is a click, too, and holds in the tenant of the message only', async () => {
    const topic = await topicOf()
    await mustCall(app, 'PUT', '/tenants/acme', { name: 'Acme' })
    const { url } = await mailTo('bob', topic.id, {}, { tenant_id: 'acme' })
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    await fetch(local(String(url)), { method: 'POST', body: form })
    expect(await statusOf('bob', topic.id)).toBe('OPTED_IN')
    expect(await statusOf('bob', `${topic.id}?tenant_id=acme`)).toBe('OPTED_OUT')
    expect(await history('bob')).toMatchObject([{ tenant_id: 'acme', source: 'one_click' }])
  })

  test('the reply waits for the commit: a click that was answered survives any crash', async () => {
    const topic = await topicOf()
    const { url } = await mailTo('kim', topic.id)
    const other = new pg.Client({ connectionString: databaseUrl })
    await other.connect()
    try {
      // Readers pass, the write waits.
      await other.query('begin; lock table preference_changes in share row exclusive mode')
      let isAnswered = false
      const reply = fetch(local(String(url)), { ...oneClick, headers: asForm }).then(({ status }) => {
        isAnswered = true
        return status
      })
      await until(
        () => other.query(`select count(*)::int as waiting from pg_locks where not granted`),
        ({ rows }) => rows[0].waiting > 0,
      )
      await pause(50)
      expect(isAnswered).toBe(false)
      await other.query('rollback')
      expect(await reply).toBe(200)
      expect(await statusOf('kim', topic.id)).toBe('OPTED_OUT')
    } finally {
      await other.end()
    }
  })

  test('no header without a topic, for a required one, where the topic has none, and beside one of the send', async () => {
    const [news, required, without] = await Promise.all([
      topicOf(),
      topicOf({ default_status: 'REQUIRED' }),
      topicOf({ include_unsubscribe_header: false }),
    ])
    const headers = { 'list-unsubscribe': '<mailto:stop@example.org>' }
    const override = { channels: { email: { override: { headers } } } }
    expect(await mailTo('cy', undefined)).toMatchObject({ url: undefined, post: undefined })
    expect(await mailTo('cy', required.id)).toMatchObject({ url: undefined, post: undefined })
    expect(await mailTo('cy', without.id)).toMatchObject({ url: undefined, post: undefined })
    expect(await mailTo('cy', news.id, override)).toMatchObject({ url: headers['list-unsubscribe'], post: undefined })
  })

  test('forged, changed and foreign links are 404 and change nothing', async () => {
    const topic = await topicOf()
    const { url, text } = await mailTo('dee', topic.id)
    const real = local(String(url))
    const token = real.split('/u/')[1] ?? ''
    const [payload = '', signature = ''] = token.split('.')
    const parts = JSON.parse(Buffer.from(payload, 'base64url').toString()) as string[]
    const changed = Buffer.from(JSON.stringify(['1', 'eve', ...parts.slice(2)])).toString('base64url')
    const page = /https:\S+\/p\/([\w.-]+)/.exec(text)?.[1] ?? ''
    const links = [`${payload}.${'A'.repeat(22)}`, `${changed}.${signature}`, payload, `${token}A`, page, 'x', '%00']
    for (const link of [...links.map((linkToken) => `/u/${linkToken}`), `/p/${token}`, `/callbacks/${token}`]) {
      const reply = await fetch(app.url + link, { ...oneClick, headers: asForm })
      expect([link, reply.status]).toEqual([link, 404])
    }
    expect(await history('dee')).toEqual([])
    expect(await history('eve')).toEqual([])
    // The two links of the message lead to pages.
    expect((await fetch(`${app.url}/p/${page}`)).status).toBe(200)
  })

  test('calls by one link are bounded', async () => {
    const url = `${app.url}/u/tried.0123456789012345678901`
    const replies = await Promise.all(Array.from({ length: 70 }, () => fetch(url)))
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(60)
    const refused = replies.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await fetch(`${app.url}/u/other`)).status).toBe(404)
    // Scanners do not use up the calls that unsubscribe.
    expect((await fetch(url, { ...oneClick, headers: asForm })).status).toBe(404)
  })

  test('an undo restores what the page gave out, and nothing else', async () => {
    const topic = await topicOf()
    const { url } = await mailTo('hal', topic.id)
    const link = local(String(url))
    const tokenIn = (html: string, action: string) =>
      new RegExp(`name="action" value="${action}"><input type="hidden" name="form" value="([^"]+)"`).exec(html)?.[1] ??
      ''
    const post = async (...fields: [string, string][]) => {
      const reply = await fetch(link, { method: 'POST', body: new URLSearchParams(fields) })
      return { status: reply.status, html: await reply.text() }
    }
    const first = await (await fetch(link)).text()
    // No operator has named the default brand.
    expect(first).toContain('<title>Your preferences</title>')
    expect(first).not.toContain('Default')
    const form = tokenIn(first, 'unsubscribe')
    const { html } = await post(['action', 'unsubscribe'], ['form', form])
    const undo = tokenIn(html, 'undo')
    const before = /name="before" value="([^"]+)"/.exec(html)?.[1] ?? ''
    expect(before).toContain(topic.id)
    const evil = `OPTED_IN evil,channel ${topic.id}`
    for (const token of [form, undo])
      for (const values of [
        [evil],
        [before, before],
        [before, evil],
        [`OPTED_IN ${'a,'.repeat(100_000)} ${topic.id}`],
      ]) {
        const fields = values.map((value): [string, string] => ['before', value])
        const reply = await post(['action', 'undo'], ['form', token], ...fields)
        expect([reply.status, reply.html]).toEqual([200, expect.stringContaining('nothing was saved')])
      }
    expect(await history('hal')).toHaveLength(1)
    expect((await post(['action', 'undo'], ['form', undo], ['before', before])).html).toContain('restored')
    expect(await statusOf('hal', topic.id)).toBe('OPTED_IN')
    const twice: [string, string] = ['topic', topic.id]
    expect((await post(['action', 'save'], ['form', form], twice, twice)).status).toBe(200)
    expect(await history('hal')).toHaveLength(3)
  })

  test('the page is in the brand of the message whose link was followed', async () => {
    const topic = await topicOf()
    const brand = (id: string, primary: string) => {
      const logo = { image: `https://${id}.example.com/logo.png` }
      return mustCall(app, 'POST', '/brands', {
        ...{ id, name: `The ${id} shop` },
        settings: { colors: { primary }, email: { header: { logo } } },
      })
    }
    await brand('red', '#b00020')
    await brand('blue', '#0033cc')
    await mustCall(app, 'PUT', '/tenants/blue-tenant', { name: 'Blue tenant', brand_id: 'blue' })
    const button = { red: '--button:#b00020', blue: '--button:#0033cc' }
    const pageOf = async (url: string | undefined) => {
      const reply = await fetch(local(String(url)))
      return { html: await reply.text(), policy: reply.headers.get('content-security-policy') ?? '' }
    }
    const mail = async (more: object, context: object = {}) => await mailTo('gwen', topic.id, more, context)

    const red = await mail({ brand_id: 'red' })
    const page = await pageOf(red.url)
    expect(page.html).toContain(button.red)
    expect(page.html).toContain('<title>Your preferences · The red shop</title>')
    expect(page.html).toContain('src="https://red.example.com/logo.png" alt="The red shop"')
    expect(page.policy).toContain('img-src data: https://red.example.com;')
    expect(page.policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/)
    const preferences = /https:\S+\/p\/[\w.-]+/.exec(red.text)?.[0]
    expect((await pageOf(preferences)).html).toContain(button.red)

    // The brand of the send wins over that of the tenant, whose name stands on the page.
    const inTenant = { tenant_id: 'blue-tenant' }
    const { html } = await pageOf((await mail({ brand_id: 'red' }, inTenant)).url)
    expect([html.includes(button.red), html.includes('<title>Your preferences · Blue tenant</title>')]).toEqual([
      true,
      true,
    ])
    expect((await pageOf((await mail({}, inTenant)).url)).html).toContain(button.blue)
    const ofChannel = await mail({ brand_id: 'blue', channels: { email: { brand_id: 'red' } } })
    expect((await pageOf(ofChannel.url)).html).toContain(button.red)
    const plain = (await pageOf((await mail({})).url)).html
    expect(plain).not.toMatch(/b00020|0033cc|example\.com\/logo/)

    // A text without anything of a brand in it.
    const { requestId } = await mustCall(app, 'POST', '/send', {
      message: {
        to: { user_id: 'gwen', phone_number: '+12025550143' },
        content: { title: '', body: '{preferences_url}' },
        routing: { method: 'single', channels: ['sms'] },
        brand_id: 'red',
      },
    })
    await settled(app.client, requestId)
    const { results } = await mustCall(app, 'GET', `/messages/${requestId}/output`)
    expect((await pageOf(results[0].content.text)).html).toContain(button.red)

    // The reply to a click, too.
    expect(await (await fetch(local(String(red.url)), { ...oneClick, headers: asForm })).text()).toContain(button.red)
    await mustCall(app, 'DELETE', `/users/gwen/preferences/${topic.id}`)

    // A brand that is gone, and a message beyond its retention.
    await mustCall(app, 'DELETE', '/brands/red')
    expect((await pageOf(red.url)).html).not.toMatch(/b00020|0033cc|red shop/)
    const kept = await mail({ brand_id: 'blue' })
    expect((await pageOf(kept.url)).html).toContain(button.blue)
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    const keptInTenant = await mail({}, inTenant)
    await client.query('delete from messages where id in ($1, $2)', [kept.id, keptInTenant.id])
    await client.end()
    expect((await pageOf(kept.url)).html).not.toContain(button.blue)
    expect((await pageOf(keptInTenant.url)).html).toContain(button.blue)
    expect((await pageOf(`${publicUrl}/u/sample`)).html).not.toMatch(/b00020|0033cc/)
  })

  test('an old link stores nothing about a person who was erased, and works for one who came back', async () => {
    const topic = await topicOf()
    const old = await mailTo('dora', topic.id)
    const page = /https:\S+\/p\/[\w.-]+/.exec(old.text)?.[0] ?? ''
    const { erasureId, pseudonym } = await mustCall(app, 'DELETE', '/profiles/dora?erase=true')
    await until(
      () => mustCall(app, 'GET', `/erasures/${erasureId}`),
      ({ status }) => status === 'COMPLETED',
    )
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      const press = async () => {
        for (const [url, call] of [
          [old.url, { ...oneClick, headers: asForm }],
          [old.url, {}],
          [page, {}],
        ] as const) {
          const reply = await fetch(local(String(url)), call)
          expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('You are unsubscribed')])
        }
        const { rows } = await client.query(`select from topic_preferences where user_id in ('dora', $1)`, [pseudonym])
        expect([rows, await history('dora'), await history(pseudonym)]).toEqual([[], [], []])
      }
      await press()
      // Beyond its retention.
      await client.query('delete from messages where id = $1', [old.id])
      await press()

      // The time in an id has seconds.
      await pause(1_000)
      const later = await mailTo('dora', topic.id)
      const kept = await mailTo('ed', topic.id)
      await client.query('delete from messages where id in ($1, $2)', [later.id, kept.id])
      for (const { url } of [later, kept]) await fetch(local(String(url)), { ...oneClick, headers: asForm })
      expect([await statusOf('dora', topic.id), await statusOf('ed', topic.id)]).toEqual(['OPTED_OUT', 'OPTED_OUT'])
    } finally {
      await client.end()
    }
  })

  test('every way that changes preferences is in the ledger, and an erasure leaves no person in it', async () => {
    const topic = await topicOf()
    const at = '/users/fay/preferences'
    const choice = { status: 'OPTED_OUT', has_custom_routing: true, custom_routing: ['sms'] }
    await mustCall(app, 'PUT', `${at}/${topic.id}`, { topic: choice })
    // Nothing changes: nothing is appended.
    await mustCall(app, 'PUT', `${at}/${topic.id}`, { topic: choice })
    await mustCall(app, 'POST', at, { topics: [{ topic_id: topic.id, status: 'OPTED_IN' }] })
    await mustCall(app, 'PUT', at, { topics: [] })
    await mustCall(app, 'PUT', '/preferences/fay', { categories: { tips: { status: 'OPTED_OUT' } } })
    await mustCall(app, 'PATCH', '/preferences/fay', { categories: { tips: { status: 'OPTED_IN' } } })
    await mustCall(app, 'PUT', `${at}/${topic.id}`, { topic: { status: 'OPTED_IN' } })
    await mustCall(app, 'DELETE', `${at}/${topic.id}`)
    const by = { source: 'api', actor: expect.stringMatching(/^key\//) }
    const about = { topic_id: topic.id, ...by }
    const document = (status: string) => ({
      ...by,
      preferences: { notifications: {}, categories: { tips: { status } } },
    })
    expect((await history('fay')).toReversed()).toEqual([
      { ...about, status: 'OPTED_OUT', custom_routing: ['sms'] },
      { ...about, status: 'OPTED_IN' },
      { ...about, status: null },
      document('OPTED_OUT'),
      document('OPTED_IN'),
      { ...about, status: 'OPTED_IN' },
      { ...about, status: null },
    ])
    const [newest] = (await app.client.preferences.history('fay', { topic_id: topic.id, limit: 1 })).results
    expect(newest).toMatchObject({ status: null })

    await mustCall(app, 'PUT', `${at}/${topic.id}`, { topic: choice })
    const { erasureId, pseudonym } = await mustCall(app, 'DELETE', '/profiles/fay?erase=true')
    await until(
      () => mustCall(app, 'GET', `/erasures/${erasureId}`),
      ({ status }) => status === 'COMPLETED',
    )
    expect(await history('fay')).toEqual([])
    const left = await history(pseudonym)
    expect(left.map(({ source }) => source)).toEqual(['erasure', ...Array(8).fill('api')])
    expect(left).not.toContainEqual(expect.objectContaining({ preferences: expect.anything() }))
  })

  test('a preview has samples, and without a public address the explanation says why the links are empty', async () => {
    const content = { title: 'Hello', body: 'Stop: {unsubscribe_url}' }
    const to = { user_id: 'gus', email: 'gus@example.com' }
    const shown = async (message: object) => {
      const { rendered, warnings } = await app.client.explain({ message } as never)
      return { text: rendered[0]?.content.text, warnings }
    }
    const sample = `${publicUrl}/u/sample`
    expect(await shown({ to, content })).toEqual({ text: `Stop: ${sample}`, warnings: undefined })
    const page = await fetch(local(sample), { ...oneClick, headers: asForm })
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('sample')])
    const anonymous = await shown({ to: { email: 'gus@example.com' }, content })
    expect(anonymous.warnings).toEqual([expect.stringContaining('an address without a user')])
  })
})
