/** Calls word for word over raw HTTP, with what every reply has in common checked on the way. */
import { expect } from 'vitest'
import { until } from '../../support/until.ts'
import type { Answer, App, Ask } from '../../system/app.ts'

export const ID = /^1-[0-9a-f]{8}-[0-9a-f]{24}$/
export const EVENT = 'EXAMPLE_NOTIFICATION'

/** Clients compare the type as a whole; a reply without a body has none (case 54). */
export async function ask(app: App, method: string, path: string, options?: Ask): Promise<Answer> {
  const answer = await app.ask(method, path, options)
  expect(answer.headers.get('content-type')).toBe(answer.text === '' ? null : 'application/json')
  return answer
}

export function refused(answer: Answer, status: number, type = 'invalid_request_error'): void {
  expect(answer.status).toBe(status)
  expect(answer.json).toEqual({ message: expect.stringMatching(/./), type })
}

/** A 204 has neither a body nor a type. */
export function nothing({ status, text, headers }: Answer): void {
  expect([status, text, headers.get('content-type')]).toEqual([204, '', null])
}

/** Sends, and gives the record of the message when nothing more is done for it. */
export async function sendAs(app: App, body: object): Promise<Answer['json']> {
  const answer = await ask(app, 'POST', '/send', { body })
  expect(answer.status).toBe('message' in body ? 202 : 200)
  return until(
    async () => (await ask(app, 'GET', `/messages/${answer.json.messageId ?? answer.json.requestId}`)).json,
    ({ status }) => !['ENQUEUED', 'ROUTED'].includes(status),
  )
}
