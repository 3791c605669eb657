/** The official SDKs manage tenants, their users and their devices, each generation with the calls it has. */
import { CourierClient as Courier3 } from 'courier3'
import { CourierClient as Courier5 } from 'courier5'
import { CourierClient as Courier6 } from 'courier6'
import { Courier as Courier7 } from 'courier7'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { daysUntil } from '../../support/clock.ts'
import { rejectedCalls } from '../../system/figures.ts'

const body = { name: 'Acme', properties: { plan: 'gold' }, user_profile: { locale: 'de' } }

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })
  const byHand = () => ({ baseUrl: app.url, authorizationToken: app.apiKey })

  describe('generation 5.7', () => {
    test('it writes, reads, lists and deletes tenants', async () => {
      const { tenants } = Courier5(byHand())
      for (const id of ['five-1', 'five-2', 'five-3'])
        expect(await tenants.put({ id, ...body })).toMatchObject({ id, ...body })
      expect(await tenants.get('five-2')).toMatchObject({ id: 'five-2', ...body })
      // It takes a limit and a cursor, and never sends them.
      const { type, items, has_more } = await tenants.listTenants({ limit: '2' })
      expect([type, has_more, items.map(({ id }) => id)]).toEqual(['list', false, ['five-1', 'five-2', 'five-3']])
      await tenants.delete('five-3')
      await expect(tenants.get('five-3')).rejects.toThrow('Tenant not found')
    })

    test('it writes users with their accounts', async () => {
      const { users } = Courier5(byHand())
      const profile = { email: 'ada@example.com' }
      await users.put('ada5', { profile, accounts: [{ account_id: 'five-1', profile: { a: 1 } }] })
      await users.putAccounts('ada5', [{ account_id: 'five-2', profile: {} }])
      expect((await app.client.profiles.get('ada5')).profile).toEqual(profile)
      const { items } = await app.client.memberships.list('ada5')
      expect(items.map(({ tenant_id, profile: tenantProfile }) => [tenant_id, tenantProfile])).toEqual([
        ['five-1', { a: 1 }],
        ['five-2', {}],
      ])
    })
  })

  const devices = { '3.16': () => Courier3(byHand()), '5.7': () => Courier5(byHand()) }

  test.each(Object.entries(devices))('generation %s manages device tokens', async (name, openClient) => {
    const { tokenManagement: tokens } = openClient()
    const user_id = `device-${name}`
    await tokens.putUserToken({ user_id, token: { token: 't1', provider_key: 'apn', expiry_date: false } })
    await tokens.putUserTokens({ user_id, tokens: [{ token: 't2', provider_key: 'expo' }] })
    await tokens.patchUserToken({ user_id, token: 't1', patch: [{ op: 'replace', path: '/status', value: 'revoked' }] })
    expect(await tokens.getUserToken({ user_id, token: 't1' })).toMatchObject({ status: 'revoked', expiry_date: false })
    const { tokens: listed } = await tokens.getUserTokens({ user_id })
    expect(listed.map(({ token }) => token).sort()).toEqual(['t1', 't2'])
    await tokens.deleteUserToken({ user_id, token: 't1' })
    await expect(tokens.getUserToken({ user_id, token: 't1' })).rejects.toThrow()
  })

  test('generation 6.6 manages tenants, their users and device tokens', async () => {
    const { tenants, users } = new Courier6(byHand())
    expect(await tenants.createOrReplace('six', body)).toMatchObject({ id: 'six', ...body })
    await tenants.createOrReplace('six-1', { name: 'Below', parent_tenant_id: 'six' })
    expect((await tenants.list({ parent_tenant_id: 'six', limit: 5 })).items.map(({ id }) => id)).toEqual(['six-1'])
    await expect(tenants.delete('six')).rejects.toMatchObject({ statusCode: 409 })
    await users.tenants.add('ada6', 'six', { profile: { a: 1 } })
    await users.tenants.addMultple('ada6', { tenants: [{ tenant_id: 'six-1' }] })
    expect((await users.tenants.list('ada6')).items).toHaveLength(2)
    expect(await tenants.getUsersByTenant('six')).toMatchObject({ items: [{ user_id: 'ada6', profile: { a: 1 } }] })
    await users.tenants.remove('ada6', 'six-1')
    await users.tenants.removeAll('ada6')
    expect((await users.tenants.list('ada6')).items).toEqual([])
    await tenants.delete('six-1')

    const { tokens } = users
    await tokens.addMultiple('ada6')
    await tokens.add('ada6', 't', { provider_key: 'firebase-fcm', token: 't' })
    const token = await tokens.get('ada6', 't')
    expect(daysUntil(String(token.expiry_date))).toBeCloseTo(61, 0)
    expect(await tokens.list('ada6')).toMatchObject({ tokens: [{ token: 't' }] })
    await tokens.delete('ada6', 't')
  })

  test('generation 7.10 manages tenants, their users and device tokens', async () => {
    const { tenants, users } = new Courier7({ baseURL: app.url, apiKey: app.apiKey })
    expect(await tenants.update('seven', body)).toMatchObject({ id: 'seven', ...body })
    await tenants.update('seven-1', { name: 'Below', parent_tenant_id: 'seven' })
    expect((await tenants.list({ parent_tenant_id: 'seven', limit: 5 })).items).toMatchObject([{ id: 'seven-1' }])
    const before = await rejectedCalls(app.url, 'tenants.delete')
    await expect(tenants.delete('seven')).rejects.toMatchObject({ status: 409 })
    // It repeats every 409 without `x-should-retry: false`.
    expect((await rejectedCalls(app.url, 'tenants.delete')) - before).toBe(1)
    await users.tenants.addSingle('seven', { user_id: 'ada7', profile: { a: 1 } })
    await users.tenants.addMultiple('ada7', { tenants: [{ tenant_id: 'seven-1' }] })
    expect((await users.tenants.list('ada7')).items).toHaveLength(2)
    expect(await tenants.listUsers('seven')).toMatchObject({ items: [{ user_id: 'ada7', profile: { a: 1 } }] })
    await users.tenants.removeSingle('seven-1', { user_id: 'ada7' })
    await users.tenants.removeAll('ada7')
    expect((await users.tenants.list('ada7')).items).toEqual([])
    await tenants.delete('seven-1')

    const { tokens } = users
    await tokens.addMultiple('ada7')
    await tokens.addSingle('t', { user_id: 'ada7', provider_key: 'firebase-fcm', expiry_date: false })
    await tokens.update('t', { user_id: 'ada7', patch: [{ op: 'replace', path: '/status', value: 'failed' }] })
    expect(await tokens.retrieve('t', { user_id: 'ada7' })).toMatchObject({ status: 'failed', expiry_date: false })
    expect(await tokens.list('ada7')).toMatchObject({ tokens: [{ token: 't' }] })
    await tokens.delete('t', { user_id: 'ada7' })
    await expect(tokens.retrieve('t', { user_id: 'ada7' })).rejects.toMatchObject({ status: 404 })
  })
})
