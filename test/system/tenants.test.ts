/** A message in a tenant: the precedence of its profile, the text it renders, and the reports about it later. */
import type { Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider

  beforeAll(async () => {
    app = await open()
    client = app.client
    await publish(client, 'news', {
      channels: ['email'],
      content: { title: 'News of {$.tenant.name}', body: 'Plan {$.tenant.plan} in {profile.locale}, {profile.city}.' },
    })
    await client.tenants.put('acme', { name: 'Acme', user_profile: { locale: 'en', city: 'London', from: 'root' } })
    await client.tenants.put('berlin', {
      name: 'Acme Berlin',
      parent_tenant_id: 'acme',
      properties: { plan: 'gold' },
      user_profile: { locale: 'de', email: 'desk@berlin.example' },
    })
    await client.profiles.replace('ada', { profile: { email: 'ada@home.example', city: 'Vienna' } })
    await client.memberships.put('ada', 'berlin', { profile: { email: 'ada@berlin.example' } })
  })

  const send = async (to: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const { status, json } = await app.call('POST', '/send', { body: { message: { to, template: 'news', ...more } } })
    expect(status).toBe(202)
    return settled(client, json.requestId)
  }
  const kept = async (message: string) => (await client.mailbox.list({ message_id: message })).results[0]?.content
  const loaded = async (message: string) =>
    (await client.messages.history(message)).results.find(({ type }) => type === 'PROFILE_LOADED')

  test('each of the merged profiles is applied, and templates see the tenant', async () => {
    const { id, status } = await send({ user_id: 'ada', tenant_id: 'berlin' })
    expect(status).toBe('DELIVERED')
    expect(await kept(id)).toMatchObject({ to: { address: 'ada@berlin.example' }, subject: 'News of Acme Berlin' })
    const [output] = (await client.messages.output(id)).results
    expect(output?.content.text).toContain('Plan gold in de, Vienna.')
    const profile = { locale: 'de', city: 'Vienna', from: 'root', email: 'ada@berlin.example' }
    expect(await loaded(id)).toMatchObject({ received_profile: {}, stored_profile: profile, merged_profile: profile })
    expect((await client.messages.list({ tenant_id: 'berlin' })).results.map((message) => message.id)).toContain(id)
  })

  test('the profile of the send overrides all others, and the context of the message names a tenant too', async () => {
    const { id } = await send({ user_id: 'ada', email: 'ada@now.example' }, { context: { tenant_id: 'berlin' } })
    expect(await kept(id)).toMatchObject({ to: { address: 'ada@now.example' }, subject: 'News of Acme Berlin' })
  })

  test('a recipient need not be a member of a tenant to get a message in it', async () => {
    const { id } = await send({ user_id: 'not-a-member', tenant_id: 'berlin' })
    expect(await kept(id)).toMatchObject({ to: { address: 'desk@berlin.example' } })
  })

  test('without a tenant, and in one that does not exist, the stored profile is all there is', async () => {
    for (const to of [{ user_id: 'ada' }, { user_id: 'ada', tenant_id: 'unknown' }]) {
      const { id } = await send(to)
      expect(await kept(id)).toMatchObject({ to: { address: 'ada@home.example' }, subject: 'News of {$.tenant.name}' })
    }
  })

  test('a past decision is reported as of then, after any change of the tenant', async () => {
    await client.tenants.put('brief', { name: 'Brief', properties: { plan: 'trial' }, user_profile: { locale: 'fr' } })
    const { id } = await send({ user_id: 'ada', tenant_id: 'brief' })
    const reports = async () => [
      await client.messages.history(id),
      await client.messages.output(id),
      (await client.messages.explain(id)).profile,
      (await client.messages.explain(id)).rendered,
    ]
    const before = await reports()
    expect(JSON.stringify(before)).toContain('Plan trial in fr')
    await client.tenants.put('brief', { name: 'Renamed', user_profile: { locale: 'it', email: 'x@brief.example' } })
    expect(await reports()).toEqual(before)
    await client.tenants.delete('brief')
    expect(await reports()).toEqual(before)
  })

  test('explaining beforehand names the tenant and its part', async () => {
    const explain = async (tenant: string) =>
      (
        await app.call('POST', '/explain', {
          body: { message: { to: { user_id: 'ada', tenant_id: tenant }, template: 'news' } },
        })
      ).json
    const explanation = await explain('berlin')
    expect(explanation.profile).toMatchObject({ locale: 'de', email: 'ada@berlin.example' })
    const step = ({ steps }: typeof explanation) => steps.find(({ step }: { step: string }) => step === 'profile')
    expect(step(explanation)).toMatchObject({
      summary: expect.stringContaining('in the tenant `berlin`'),
      facts: { tenant: 'berlin' },
    })
    expect(step(await explain('unknown')).summary).toContain('Unknown tenant `unknown`.')
  })

  test('a tenant of another environment has no effect', async () => {
    const otherEnvironment = await app.key('published', 'test')
    await publish(otherEnvironment.client, 'news', {
      channels: ['email'],
      content: { title: '{$.tenant.name}', body: 'x' },
    })
    await otherEnvironment.client.profiles.replace('ada', { profile: { email: 'theirs@example.com' } })
    const { json } = await app.call('POST', '/send', {
      apiKey: otherEnvironment.apiKey,
      body: { message: { to: { user_id: 'ada', tenant_id: 'berlin' }, template: 'news' } },
    })
    const { id } = await settled(otherEnvironment.client, json.requestId)
    const { results } = await otherEnvironment.client.mailbox.list({ message_id: id })
    expect(results[0]?.content).toMatchObject({ to: { address: 'theirs@example.com' }, subject: '{$.tenant.name}' })
  })
})
