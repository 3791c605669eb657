/** The official SDKs write and read preferences as they are: by notification in the old ones, by topic in the new ones. */
import { CourierClient as Courier3 } from 'courier3'
import { CourierClient as Courier5 } from 'courier5'
import { CourierClient as Courier6 } from 'courier6'
import { Courier as Courier7 } from 'courier7'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'

/** The calls that the hand-written generations share; their types require more than they send. */
interface HandWritten {
  preferences: {
    list(): Promise<unknown>
    get(recipient: string): Promise<unknown>
    put(recipient: string, document: object): Promise<unknown>
  }
}

withApp((open) => {
  let app: App
  let topic: string

  beforeAll(async () => {
    app = await open()
    const section = await app.client.sections.create({ name: 'Shop' })
    topic = (await app.client.topics.create(section.id, { name: 'Orders', default_status: 'OPTED_IN' })).id
    await app.client.tenants.put('acme', { name: 'Acme' })
  })

  describe.each([
    ['3.16', Courier3],
    ['5.7', Courier5],
  ] as const)('generation %s', (name, Client) => {
    test('it lists, writes and reads preferences by notification', async () => {
      const sdk = Client({ baseUrl: app.url, authorizationToken: app.apiKey }) as unknown as HandWritten
      const recipient = `user@${name}`
      expect(await sdk.preferences.list()).toMatchObject({ uncategorized: expect.any(Array), categories: [] })
      expect(await sdk.preferences.get(recipient)).toEqual({ notifications: {}, categories: {} })
      const rules = [{ type: 'snooze', until: '2030-01-01T00:00:00Z' }]
      const document = { notifications: { N1: { status: 'OPTED_OUT', rules } }, categories: {} }
      expect(await sdk.preferences.put(recipient, document)).toEqual({ status: 'SUCCESS' })
      expect(await sdk.preferences.get(recipient)).toEqual(document)
    })
  })

  test('generation 6.6 writes and reads preferences by topic', async () => {
    const { preferences } = new Courier6({ baseUrl: app.url, authorizationToken: app.apiKey }).users
    await preferences.update('user@6.6', topic, { topic: { status: 'OPTED_OUT' } })
    expect((await preferences.get('user@6.6', topic)).topic).toMatchObject({ status: 'OPTED_OUT' })
    expect((await preferences.list('user@6.6')).items).toHaveLength(1)
  })

  test('generation 7.10 writes and reads preferences by topic, in a tenant too', async () => {
    const sdk = new Courier7({ baseURL: app.url, apiKey: app.apiKey })
    const { preferences } = sdk.users
    const user_id = 'user@7.10|a b'
    const choice = { status: 'OPTED_OUT', has_custom_routing: true, custom_routing: ['email'] } as const
    await preferences.updateOrCreateTopic(topic, { user_id, tenant_id: 'acme', topic: choice as never })
    const shown = { topic_id: topic, topic_name: 'Orders', default_status: 'OPTED_IN' }
    expect((await preferences.retrieveTopic(topic, { user_id, tenant_id: 'acme' })).topic).toMatchObject({
      ...shown,
      ...choice,
    })
    expect((await preferences.retrieve(user_id)).items).toMatchObject([{ ...shown, status: 'OPTED_IN' }])
    await sdk.tenants.preferences.items.update(topic, { tenant_id: 'acme', status: 'REQUIRED' })
    expect((await preferences.retrieve(user_id, { tenant_id: 'acme' })).items).toMatchObject([{ status: 'REQUIRED' }])
    const refused = preferences.updateOrCreateTopic(topic, { user_id, tenant_id: 'acme', topic: choice as never })
    await expect(refused).rejects.toMatchObject({ status: 400 })
    await sdk.tenants.preferences.items.delete(topic, { tenant_id: 'acme' })
    expect((await preferences.retrieve(user_id, { tenant_id: 'acme' })).items).toMatchObject([choice])
  })
})
