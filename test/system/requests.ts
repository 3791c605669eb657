/** Calls for many as tests follow them: until every recipient is found, until every message has ended. */
import type { Message, Postrider, SendRequest } from '@postrider/client'
import { finalStatuses } from '@postrider/contract'
import { expect } from 'vitest'
import { until } from '../support/until.ts'

export const content = { title: 'News for {name}', body: 'Hello {name}, {greeting}.' }

export async function completed(client: Postrider, requestId: string): Promise<SendRequest> {
  const request = await until(
    () => client.requests.get(requestId),
    ({ status }) => status === 'COMPLETED' || status === 'ERROR',
  )
  expect(request.status).toBe('COMPLETED')
  return request
}

export async function messagesOf(client: Postrider, requestId: string, count: number): Promise<Message[]> {
  return until(
    async () => {
      const messages: Message[] = []
      for await (const message of client.messages.list({ traceId: requestId })) messages.push(message)
      return messages
    },
    (messages) => messages.length >= count && messages.every(({ status }) => finalStatuses.has(status)),
  )
}
