/**
 * Roles of keys, over every operation of the contract: what each may call, and what a viewer does not see.
 * @module-tag safety
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finalStatuses, keyRoles, type Operation, operations, roleOf } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { type App, openApp, withApp } from '../support/app.ts'
import { fixtures, ownParams, pathWith, placeOf } from '../support/fixtures.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { until } from '../support/until.ts'

const withKey = operations.filter(({ access, calledBy }) => access !== 'open' && calledBy === undefined)
const named = (all: readonly Operation[]) => all.map((operation) => [operation.id, operation] as const)

describe('every operation', () => {
  withApp((open) => {
    let api: RecordingApp
    const roleKeys: Record<string, string> = {}
    beforeAll(async () => {
      api = await open({ pipeline: 'recording' })
      for (const role of keyRoles) roleKeys[role] = (await mustCall(api, 'POST', '/keys', { name: role, role })).key
    })

    const replyWith = async ({ method, path, body, example }: Operation, apiKey: string) => {
      const content = body && example?.body !== undefined ? { body: example.body } : {}
      // From the machine itself figures are open; a proxy is not the machine itself.
      const headers = { 'x-forwarded-for': '203.0.113.7' }
      const reply = await api.call(method, pathWith(path, example?.params ?? {}), { apiKey, headers, ...content })
      expect(reply.status).not.toBe(401)
      return { isRefused: reply.status === 403 && reply.json?.code === 'role_required', message: reply.json?.message }
    }

    test('the matrix has every operation that is called with a key; a viewer changes nothing but its sign-in', () => {
      expect(withKey.length).toBeGreaterThan(200)
      expect(new Set(withKey.map(roleOf))).toEqual(new Set(keyRoles))
      const changes = withKey.filter((each) => each.method !== 'GET' && roleOf(each) === 'viewer')
      expect(changes.map(({ id }) => id)).toEqual(['sessions.createLink', 'sessions.signOut'])
    })

    test.each(named(withKey))('%s', async (_id, operation) => {
      const least = roleOf(operation)
      for (const role of keyRoles) {
        const { isRefused, message } = await replyWith(operation, roleKeys[role] ?? '')
        const isPermitted = keyRoles.indexOf(role) <= keyRoles.indexOf(least)
        expect([role, isRefused]).toEqual([role, !isPermitted])
        if (!isPermitted) expect(message).toBe(`This needs a key of role ${least}; the role of this key is ${role}`)
      }
    })

    test('a role that this version does not know may do nothing', async () => {
      const { id, key } = await mustCall(api, 'POST', '/keys', { role: 'viewer' })
      await api.engine.run({ text: `update keys set role = 'later' where id = $1`, values: [id] })
      for (const [method, path] of [
        ['GET', '/messages'],
        ['POST', '/keys'],
      ] as const) {
        const reply = await api.call(method, path, { apiKey: key, ...(method === 'POST' && { body: {} }) })
        expect([path, reply.status, reply.json.code]).toEqual([path, 403, 'role_required'])
      }
    })

    test('an editor changes content, and neither sends nor changes keys, integrations, settings and people', () => {
      const least = (id: string) => roleOf(operations.find((operation) => operation.id === id) as Operation)
      for (const id of ['notifications.publish', 'brands.replace', 'translations.put', 'routingStrategies.create'])
        expect([id, least(id)]).toEqual([id, 'editor'])
      for (const id of [
        'send.send',
        'keys.create',
        'providers.update',
        'settings.update',
        'profiles.delete',
        'auth.issueToken',
      ])
        expect([id, least(id)]).toEqual([id, 'full'])
    })

    test('an editor sends with a mock key, which calls no provider, and with no other one', async () => {
      const keyOf = async (kind: string, role: string) => (await mustCall(api, 'POST', '/keys', { kind, role })).key
      const send = async (apiKey: string) => {
        const { status, json } = await api.call('POST', '/send', { apiKey, body: { event: 'e', recipient: 'r' } })
        return [status, json.code]
      }
      expect(await send(await keyOf('mock', 'editor'))).toEqual([200, undefined])
      expect(api.sends.at(-1)).toMatchObject({ mode: 'mock' })
      for (const [kind, role] of [
        ['published', 'editor'],
        ['draft', 'editor'],
        ['mock', 'viewer'],
      ] as const)
        expect(await send(await keyOf(kind, role))).toEqual([403, 'role_required'])
    })

    test('a role holds on every node, and a revoked key ends there', async () => {
      const node = await openApp({ pipeline: 'recording', engine: api.engine })
      try {
        const { id, key } = await mustCall(api, 'POST', '/keys', { role: 'viewer' })
        const change = () => node.call('PUT', '/profiles/ada', { apiKey: key, body: { profile: { name: 'Ada' } } })
        expect([(await change()).json.code, (await node.call('GET', '/profiles', { apiKey: key })).status]).toEqual([
          'role_required',
          200,
        ])
        await mustCall(api, 'PUT', '/profiles/ada', { profile: { name: 'Ada Quokka' } })
        const seen = await node.call('GET', '/profiles/ada', { apiKey: key })
        expect([seen.status, seen.text.includes('Quokka')]).toEqual([200, false])
        await api.call('DELETE', `/keys/${id}`)
        const { status } = await until(
          () => node.call('GET', '/profiles', { apiKey: key }),
          (reply) => reply.status === 401,
        )
        expect(status).toBe(401)
      } finally {
        await node.stop()
      }
    })

    test('a key without a role is full, its role is listed, and the last such published key stays', async () => {
      const { results } = await mustCall(api, 'GET', '/keys')
      expect(results.map(({ name, role }: { name: string; role: string }) => [name, role])).toEqual(
        expect.arrayContaining([
          ['production', 'full'],
          ['editor', 'editor'],
          ['viewer', 'viewer'],
        ]),
      )
      await mustCall(api, 'POST', '/keys', { environment: 'test', role: 'viewer' })
      const [last] = (await api.call('GET', '/keys', { apiKey: keys.test })).json.results
      const reply = await api.call('DELETE', `/keys/${last.id}`, { apiKey: keys.test })
      expect([reply.status, reply.json.code]).toEqual([409, 'in_use'])
    })

    test('a session has the role of its key', async () => {
      const signedIn = await api.call('POST', '/session', { apiKey: '', body: { key: roleKeys.viewer } })
      expect(signedIn.json).toMatchObject({ role: 'viewer', environments: ['production'] })
      const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
      const headers = { cookie, 'x-postrider-session': '1' }
      const reply = await api.call('POST', '/send', { apiKey: '', headers, body: { event: 'e', recipient: 'r' } })
      expect([reply.status, reply.json]).toMatchObject([403, { code: 'role_required' }])
      expect((await api.call('DELETE', '/session', { apiKey: '', headers })).status).toBe(204)
    })
  })
})

describe('a viewer', () => {
  const canary = 'Zanzibarquokka'
  const email = `${canary}@example.com`

  withApp((open) => {
    let app: App
    let viewer: string
    let reader: string
    let messageId: string
    let made: Record<string, string> = {}
    beforeAll(async () => {
      app = await open()
      viewer = (await mustCall(app, 'POST', '/keys', { role: 'viewer' })).key
      reader = (await mustCall(app, 'POST', '/keys', { role: 'reader' })).key
      const profile = {
        email,
        phone_number: `+1202555${canary}`,
        name: canary,
        custom: { [email]: canary, [canary]: 1, call: 12025550100, vip: true },
      }
      for (const place of ['user_id', 'list_id', 'tenant_id']) {
        const fixture = fixtures[place]
        if (fixture && !('choice' in fixture)) await fixture(app, 'mark', {})
      }
      await mustCall(app, 'PUT', '/profiles/mark-user', { profile })
      await mustCall(app, 'PUT', '/users/mark-user/tenants/mark-tenant', { profile })
      await mustCall(app, 'PUT', `/users/mark-user/tokens/${canary}`, { provider_key: 'expo', properties: { canary } })
      await mustCall(app, 'POST', '/suppressions', { suppressions: [{ address: email, note: canary }] })
      const { runId } = await mustCall(app, 'POST', '/automations/invoke', {
        recipient: 'mark-user',
        data: { canary },
        profile,
        automation: { steps: [{ action: 'delay', duration: '1 hour' }] },
      })
      const message = {
        to: { user_id: 'mark-user', email: `second.${email}` },
        content: { title: canary, body: `Hello ${canary}` },
        data: { canary },
        metadata: { tags: ['tag'] },
        routing: { method: 'single', channels: ['email'] },
      }
      messageId = (await mustCall(app, 'POST', '/send', { message })).requestId
      await until(
        () => mustCall(app, 'GET', `/messages/${messageId}`),
        ({ status }) => finalStatuses.has(status),
      )
      const { jobId } = await mustCall(app, 'POST', '/bulk', { message: { event: 'welcome' } })
      await mustCall(app, 'POST', `/bulk/${jobId}`, { users: [{ recipient: 'mark-user', profile, data: { canary } }] })
      const [mail] = (await mustCall(app, 'GET', `/mailbox?message_id=${messageId}`)).results
      made = {
        ...{ user_id: 'mark-user', recipient_id: 'mark-user', list_id: 'mark.list', tenant_id: 'mark-tenant' },
        token: canary,
        ...{ message_id: messageId, 'bulk.job_id': jobId, 'automations.run_id': runId, 'mailbox.id': mail.id },
      }
    })

    const reads = withKey.filter(({ method, query }) => method === 'GET' && !query?.required?.length)

    test('sees no address, name, data or words of a recipient in any read', async () => {
      let shown = 0
      let shownToReader = 0
      const leaks: string[] = []
      for (const [index, operation] of reads.entries()) {
        const params = await ownParams(operation, app, `mark${index}`)
        for (const name of Object.keys(params))
          params[name] = made[placeOf(operation, name)] ?? made[name] ?? params[name] ?? ''
        const path = pathWith(operation.path, params)
        const full = await app.call('GET', path)
        if (full.text.includes(canary)) shown += 1
        if ((await app.call('GET', path, { apiKey: reader })).text.includes(canary)) shownToReader += 1
        const reply = await app.call('GET', path, { apiKey: viewer })
        if (![200, 403].includes(reply.status)) leaks.push(`${operation.id}: ${reply.status} ${reply.text}`)
        if (reply.text.includes(canary) || reply.text.includes('2025550')) leaks.push(`${operation.id}: ${reply.text}`)
      }
      expect(leaks).toEqual([])
      // The same reads with a key of role full show it.
      expect(shown).toBeGreaterThanOrEqual(8)
      // A reader's key has nothing masked.
      expect(shownToReader).toBe(shown)
    })

    test('reads the titles of integrations that a message was tried with, and not its words', async () => {
      const { json } = await app.call('GET', `/messages/${messageId}/explain`, { apiKey: viewer })
      expect(json.rendered[0]).toMatchObject({ title: 'Mailbox', content: { title: '•••' } })
    })

    test('is refused the filters and parts that a reader may use', async () => {
      const statuses = async (path: string) => [
        (await app.call('GET', path, { apiKey: reader })).status,
        (await app.call('GET', path, { apiKey: viewer })).status,
      ]
      for (const path of ['/messages?recipient=mark-user', `/profiles?search=${canary}`])
        expect([path, ...(await statuses(path))]).toEqual([path, 200, 403])
      const { results } = await mustCall(app, 'GET', `/messages/${messageId}/history?type=RENDERED`)
      const part = String(Object.values(results[0].output)[0])
      expect(await statuses(part)).toEqual([200, 403])
    })

    test('does not find out what is masked by filters, paths and cursors', async () => {
      const codes = async (path: string) => {
        const { status, json } = await app.call('GET', path, { apiKey: viewer })
        return [status, json.code, json.param]
      }
      for (const [path, param] of [
        ['/messages?recipient=mark-user', 'recipient'],
        [`/messages?error=${canary}`, 'error'],
        ['/messages?tag=tag', 'tag'],
        [`/profiles?search=${canary}`, 'search'],
        [`/suppressions?address=${email}`, 'address'],
        ['/mailbox?recipient=mark-user', 'recipient'],
        [`/messages?tenant_id=${email}`, 'tenant_id'],
        [`/profiles/${email}`, 'user_id'],
        ['/profiles/+12025550100', 'user_id'],
      ] as const)
        expect([path, ...(await codes(path))]).toEqual([path, 403, 'role_required', param])
      const cursor = Buffer.from(JSON.stringify(['m'])).toString('base64url')
      expect((await codes(`/profiles?cursor=${cursor}`))[1]).toBe('invalid_cursor')
      expect((await codes('/messages?status=SENT&enqueued_after=2026-01-01&provider=mailbox'))[0]).toBe(200)
      // The live tail of the dashboard.
      const [message] = (await app.client.messages.list({ limit: 1 })).results
      expect((await codes(`/messages?after=${message?.id}&limit=200`))[0]).toBe(200)
    })

    test('pages through a list whose order is masked', async () => {
      for (const number of [1, 2, 3])
        await mustCall(app, 'PUT', `/profiles/page${number}@example.com`, { profile: { number } })
      const page = (query: string, apiKey: string) => app.call('GET', `/profiles?limit=2${query}`, { apiKey })
      const sizes: number[] = []
      for (let cursor = ''; ; ) {
        const { status, json, text } = await page(cursor, viewer)
        expect([status, text.includes('example.com')]).toEqual([200, false])
        sizes.push((json.results ?? json.items).length)
        const next = json.paging?.cursor ?? json.cursor
        if (!next) break
        expect(Buffer.from(next, 'base64url').toString()).not.toContain('example.com')
        cursor = `&cursor=${next}`
      }
      const { json } = await app.call('GET', '/profiles')
      expect(sizes.reduce((sum, size) => sum + size)).toBe((json.results ?? json.items).length)
    })

    test('sees the steps of a decision and their reasons, without values', async () => {
      const { status, json, text } = await app.call('GET', `/messages/${messageId}/explain`, { apiKey: viewer })
      const full = (await app.call('GET', `/messages/${messageId}/explain`)).json
      const shape = ({ steps, candidates, decision }: typeof full) => ({
        decision: decision.status,
        steps: steps.map(({ step, outcome }: { step: string; outcome: string }) => [step, outcome]),
        candidates: candidates.map(({ channel, reason, selected }: Record<string, unknown>) => [
          channel,
          reason,
          selected,
        ]),
        route: steps.find(({ step }: { step: string }) => step === 'route').facts.method,
      })
      expect([status, shape(json)]).toEqual([200, shape(full)])
      expect(text).not.toContain(canary)
    })

    test('sees no number and no key of free data', async () => {
      const { text } = await app.call('GET', '/profiles/mark-user', { apiKey: viewer })
      const full = await app.call('GET', '/profiles/mark-user')
      for (const word of ['12025550100', canary]) {
        expect(full.text).toContain(word)
        expect(text).not.toContain(word)
      }
    })

    test('sees that providers and webhooks fail, and not the words of their errors', async () => {
      const refusing = createServer((_request, reply) => {
        reply.statusCode = 500
        reply.end(`no such user ${canary}`)
      })
      await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
      try {
        const { port } = refusing.address() as AddressInfo
        const { id } = await mustCall(app, 'POST', '/webhooks', {
          url: `http://127.0.0.1:${port}/`,
          types: ['message:updated'],
        })
        await mustCall(app, 'POST', '/send', { event: 'welcome', recipient: 'mark-user', profile: { email } })
        const path = `/webhooks/${id}/deliveries`
        const failed = await until(
          () => app.call('GET', path),
          ({ text }) => text.includes(`no such user ${canary}`),
        )
        expect(failed.status).toBe(200)
        const reply = await app.call('GET', path, { apiKey: viewer })
        expect([reply.status, reply.json.results.length > 0]).toEqual([200, true])
        expect(reply.text).not.toContain(canary)
      } finally {
        refusing.closeAllConnections()
        refusing.close()
      }
    })

    test('sees who changed a thing by the key, and no target that is an address', async () => {
      await mustCall(app, 'PUT', `/tenants/${canary}%40example.com`, { name: 'tenant' })
      const { results } = await mustCall(app, 'GET', '/audit-events?limit=1')
      expect(results[0].target).toBe(email)
      const { json } = await app.call('GET', '/audit-events?limit=1', { apiKey: viewer })
      expect(json.results[0]).toMatchObject({
        type: 'tenant:updated',
        target: '•••',
        actor: { id: results[0].actor.id },
        caller: { key: { id: results[0].caller.key.id }, role: 'full', address: '•••' },
      })
    })

    test('sees ids, statuses and times of messages', async () => {
      const reply = await app.call('GET', `/messages/${messageId}`, { apiKey: viewer })
      const full = await app.call('GET', `/messages/${messageId}`)
      for (const field of ['id', 'status', 'enqueued'])
        expect([field, reply.json[field]]).toEqual([field, full.json[field]])
      expect(reply.text).toContain('•••')
    })
  })
})
