/** Short calls about audiences, and the update of their members, run when a test calls it. */
import { expect } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { updateMembers } from '../support/background.ts'
import type { RecordingApp } from '../support/recording-app.ts'

export const missing = { message: 'Not Found', type: 'invalid_request_error' }
export const engineers = { operator: 'EQ', path: 'title', value: 'Software Engineer' }

export interface AudienceCalls {
  /** Nothing is left of the test before. */
  clear(): Promise<void>
  /** The audience as it is afterwards. */
  put(id: string, body: unknown): Promise<ApiReply['json']>
  profile(id: string, profile: unknown): Promise<void>
  /** Does everything that is due. */
  settle(): Promise<void>
  membersOf(id: string): Promise<ApiReply['json']>
  idsOf(id: string): Promise<string[]>
}

export function audienceCalls(api: () => RecordingApp): AudienceCalls {
  const membersOf = async (id: string) => {
    const answer = await api().call('GET', `/audiences/${id}/members`)
    expect(answer.status).toBe(200)
    return answer.json.items
  }
  return {
    membersOf,
    idsOf: async (id) => (await membersOf(id)).map((item: { member_id: string }) => item.member_id),
    async clear() {
      for (const table of ['audiences', 'audience_members', 'audience_changes', 'profiles', 'tenants'])
        await api().engine.run({ text: `delete from ${table}`, values: [] })
    },
    async put(id, body) {
      const answer = await api().call('PUT', `/audiences/${id}`, { body })
      expect([answer.status, answer.json?.message]).toEqual([200, undefined])
      return answer.json.audience
    },
    async profile(id, profile) {
      expect((await api().call('PUT', `/profiles/${id}`, { body: { profile } })).status).toBe(200)
    },
    settle: () => updateMembers(api()),
  }
}
