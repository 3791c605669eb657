/** Calls word for word over raw HTTP, with what every reply has in common checked on the way. */
import { expect } from 'vitest'
import type { ApiCallOptions, ApiReply } from '../../support/api-client.ts'
import type { App } from '../../support/app.ts'
import { until } from '../../support/until.ts'

export const ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/
export const EVENT = 'EXAMPLE_NOTIFICATION'

/** Clients compare the type as a whole; a reply without a body has none (case 54). */
export async function call(app: App, method: string, path: string, options?: ApiCallOptions): Promise<ApiReply> {
  const answer = await app.call(method, path, options)
  expect(answer.headers.get('content-type')).toBe(answer.text === '' ? null : 'application/json')
  return answer
}

export function refused(answer: ApiReply, status: number, type = 'invalid_request_error'): void {
  expect(answer.status).toBe(status)
  expect(answer.json).toMatchObject({ message: expect.stringMatching(/./), type })
}

/** A 204 has neither a body nor a type. */
export function nothing({ status, text, headers }: ApiReply): void {
  expect([status, text, headers.get('content-type')]).toEqual([204, '', null])
}

/** Sends, and gives the record of the message when nothing more is done for it. */
export async function sendAs(app: App, body: object): Promise<ApiReply['json']> {
  const answer = await call(app, 'POST', '/send', { body })
  expect(answer.status).toBe('message' in body ? 202 : 200)
  return until(
    async () => (await call(app, 'GET', `/messages/${answer.json.messageId ?? answer.json.requestId}`)).json,
    ({ status }) => !['ENQUEUED', 'ROUTED'].includes(status),
  )
}
