/** The calls about lists, short: writes that must succeed, and what a read shows. */
import { expect } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import type { RecordingApp } from '../support/recording-app.ts'

export const missing = { message: 'Not Found', type: 'invalid_request_error' }
export const optedOut = { notifications: { welcome: { status: 'OPTED_OUT' } } }
export const some = (...ids: string[]) => ({ recipients: ids.map((recipientId) => ({ recipientId })) })

export interface ListCalls {
  /** A write that succeeds has an empty reply. */
  write(method: string, path: string, body?: unknown): Promise<void>
  status(method: string, path: string, body?: unknown): Promise<number>
  read(path: string): Promise<ApiReply['json']>
  idsOf(path: string): Promise<string[]>
  recipients(list: string): Promise<string[]>
}

export function listCalls(api: () => RecordingApp): ListCalls {
  const read = async (path: string) => (await api().call('GET', path)).json
  return {
    read,
    write: async (method, path, body) => {
      const answer = await api().call(method, path, { body })
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([204, '', null])
    },
    status: async (method, path, body) => (await api().call(method, path, { body })).status,
    idsOf: async (path) => (await read(path)).results.map(({ id }: { id: string }) => id),
    recipients: async (list) =>
      (await read(`/lists/${list}/subscriptions`)).items.map((item: { recipientId: string }) => item.recipientId),
  }
}
