/** The official SDKs write brands, translations and checks, and read content, in four generations. */
import { CourierClient as Courier3 } from 'courier3'
import { CourierClient as Courier5 } from 'courier5'
import { CourierClient as Courier6 } from 'courier6'
import { Courier as Courier7 } from 'courier7'
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../../support/app.ts'
import { keys, type RecordingApp } from '../../support/recording-app.ts'

const settings = { colors: { primary: '#9d3789', secondary: '#292929', tertiary: '#f4f4f4' } }
const check = { id: 'legal', type: 'custom', status: 'RESOLVED' } as const
const po = 'msgid "Hello"\nmsgstr "Hallo"\n'

interface Sdk {
  create(id: string): Promise<unknown>
  get(id: string): Promise<unknown>
  list(): Promise<unknown>
  replace(id: string, name: string): Promise<unknown>
  delete(id: string): Promise<unknown>
  content(id: string): Promise<unknown>
  checks(id: string): Promise<unknown>
  translate?(text: string): Promise<unknown>
  translations?(): Promise<unknown>
}

/** The calls that generations 3 and 5 have in common. */
type HandWritten = Pick<
  ReturnType<typeof Courier5>,
  'createBrand' | 'getBrand' | 'getBrands' | 'replaceBrand' | 'deleteBrand' | 'notifications'
>

function byHand(client: HandWritten): Sdk {
  return {
    create: (id) => client.createBrand({ id, name: 'Acme', settings } as never),
    get: (id) => client.getBrand(id),
    list: () => client.getBrands({} as never),
    replace: (id, name) => client.replaceBrand({ id, name, settings } as never),
    delete: (id) => client.deleteBrand(id),
    content: (id) => client.notifications.getContent(id),
    checks: (id) => client.notifications.putSubmissionChecks(id, 'review', { checks: [check] }),
  }
}

const third = (baseUrl: string, authorizationToken: string) =>
  byHand(Courier3({ baseUrl, authorizationToken }) as unknown as HandWritten)

const fifth = (baseUrl: string, authorizationToken: string) => byHand(Courier5({ baseUrl, authorizationToken }))

function sixth(baseUrl: string, authorizationToken: string): Sdk {
  const { brands, notifications, translations } = new Courier6({ baseUrl, authorizationToken })
  return {
    create: async (id) => brands.create({ id, name: 'Acme', settings }),
    get: async (id) => brands.get(id),
    list: async () => brands.list(),
    replace: async (id, name) => brands.replace(id, { name, settings }),
    delete: async (id) => brands.delete(id),
    content: async (id) => notifications.getContent(id),
    checks: async (id) => notifications.replaceSubmissionChecks(id, 'review', { checks: [check] }),
    translate: async (text) => translations.update('default', 'de', text),
    translations: async () => translations.get('default', 'de'),
  }
}

function seventh(baseURL: string, apiKey: string): Sdk {
  const { brands, notifications, translations } = new Courier7({ baseURL, apiKey })
  return {
    create: async (id) => brands.create({ id, name: 'Acme', settings }),
    get: async (id) => brands.retrieve(id),
    list: async () => brands.list(),
    replace: async (id, name) => brands.update(id, { name, settings }),
    delete: async (id) => brands.delete(id),
    content: async (id) => notifications.retrieveContent(id),
    checks: async (id) => notifications.checks.update('review', { id, checks: [check] }),
    translate: async (text) => translations.update('de', { domain: 'default', body: text }),
    translations: async () => translations.retrieve('de', { domain: 'default' }),
  }
}

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  describe.each([
    ['3.16', third],
    ['5.7', fifth],
    ['6.6', sixth],
    ['7.10', seventh],
  ] as const)('generation %s', (generation, openSdk) => {
    test('it creates, reads, lists, replaces and deletes brands', async () => {
      const sdk = openSdk(api.url, keys.production)
      const id = `acme-${generation}`
      const record = { id, name: 'Acme', settings, created: api.time.now, published: api.time.now }
      expect(await sdk.create(id)).toMatchObject(record)
      expect(await sdk.get(id)).toMatchObject(record)
      expect(await sdk.list()).toMatchObject({ paging: { more: false }, results: [record] })
      expect(await sdk.replace(id, 'New')).toMatchObject({ id, name: 'New', settings })
      await expect(sdk.create(id)).rejects.toThrow()
      await sdk.delete(id)
      await expect(sdk.get(id)).rejects.toThrow()
    })

    test('it reads content and writes checks', async () => {
      const sdk = openSdk(api.url, keys.production)
      const notification = { name: 'x', content: { title: 'Title', body: 'Words' }, routing: null }
      const { id } = (await api.call('POST', '/notifications', { body: { notification } })).json
      const content = { blocks: [{ id: '1', type: 'text', content: 'Words' }], checksum: expect.any(String) }
      expect(await sdk.content(id)).toMatchObject(content)
      expect(await sdk.checks(id)).toEqual({ checks: [{ ...check, updated: api.time.now }] })
    })

    test.runIf(generation > '6')('it writes and reads translations', async () => {
      const sdk = openSdk(api.url, keys.production)
      await sdk.translate?.(po)
      expect(await sdk.translations?.()).toBe(po)
    })
  })
})
