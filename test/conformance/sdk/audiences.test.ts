/** The official SDKs make audiences and read their members, in four generations. */
import { CourierClient as Courier3 } from 'courier3'
import { CourierClient as Courier5 } from 'courier5'
import { CourierClient as Courier6 } from 'courier6'
import { Courier as Courier7 } from 'courier7'
import { beforeAll, describe, expect, test } from 'vitest'
import { audienceCalls } from '../../http/audience-calls.ts'
import { withApp } from '../../support/app.ts'
import { keys, type RecordingApp } from '../../support/recording-app.ts'

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
const title = { operator: 'EQ', path: 'title', value: 'Software Engineer' } as const

interface Sdk {
  /** Absent where the SDK sends no body. */
  put?(id: string): Promise<unknown>
  get(id: string): Promise<unknown>
  list(): Promise<unknown>
  members(id: string): Promise<unknown>
  delete(id: string): Promise<unknown>
}

/** Generation 3 sends GET for an audience when called to write it. */
function third(baseUrl: string, authorizationToken: string): Sdk {
  const { audiences } = Courier3({ baseUrl, authorizationToken })
  return {
    get: audiences.get,
    list: audiences.listAudiences,
    members: audiences.listMembers,
    delete: audiences.delete,
  }
}

function fifth(baseUrl: string, authorizationToken: string): Sdk {
  const { audiences } = Courier5({ baseUrl, authorizationToken })
  return {
    put: (id) => audiences.put({ id, name: 'Engineers', filter: { operator: 'AND', rules: [title] } }),
    get: audiences.get,
    list: () => audiences.listAudiences(),
    members: (id) => audiences.listMembers(id),
    delete: audiences.delete,
  }
}

function sixth(baseUrl: string, authorizationToken: string): Sdk {
  const { audiences } = new Courier6({ baseUrl, authorizationToken })
  return {
    put: async (id) => audiences.update(id, { name: 'Engineers', filter: title }),
    get: async (id) => audiences.get(id),
    list: async () => audiences.listAudiences(),
    members: async (id) => audiences.listMembers(id),
    delete: async (id) => audiences.delete(id),
  }
}

function seventh(baseURL: string, apiKey: string): Sdk {
  const { audiences } = new Courier7({ baseURL, apiKey })
  return {
    put: async (id) => audiences.update(id, { name: 'Engineers', filter: { filters: [title] }, operator: 'AND' }),
    get: async (id) => audiences.retrieve(id),
    list: async () => audiences.list(),
    members: async (id) => audiences.listMembers(id),
    delete: async (id) => audiences.delete(id),
  }
}

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })
  const { clear, put, profile, settle } = audienceCalls(() => api)

  describe.each([
    ['3.16', third],
    ['5.7', fifth],
    ['6.6', sixth],
    ['7.10', seventh],
  ] as const)('generation %s', (_generation, openSdk) => {
    test('it makes an audience, reads it and its members, and deletes it', async () => {
      await clear()
      const sdk = openSdk(api.url, keys.production)
      await profile('ada', { title: 'Software Engineer' })
      if (sdk.put) await sdk.put('engineers')
      else await put('engineers', { name: 'Engineers', filter: title })
      await settle()
      const record = {
        id: 'engineers',
        name: 'Engineers',
        description: '',
        created_at: TIMESTAMP,
        updated_at: TIMESTAMP,
      }
      expect(await sdk.get('engineers')).toMatchObject(record)
      expect(await sdk.list()).toMatchObject({ items: [record], paging: { more: false } })
      const member = { member_id: 'ada', audience_id: 'engineers', audience_version: 1, added_at: TIMESTAMP }
      expect(await sdk.members('engineers')).toMatchObject({ items: [member], paging: { more: false } })
      expect(JSON.stringify(await sdk.members('engineers'))).toContain("EQ('title', 'Software Engineer') => true")
      await sdk.delete('engineers')
      await expect(sdk.get('engineers')).rejects.toThrow()
    })
  })
})
