/** Requests and replies of attempts read as they stand in the protocol. */
import { expect, test } from 'vitest'
import { cutOf, replyText, requestText } from './exchange-text.ts'

test('an HTTP request as it stands on the wire, its JSON laid out', () => {
  const headers = { authorization: '********', 'content-type': 'application/json' }
  const request = { protocol: 'http', method: 'POST', url: 'https://api.example/send', headers } as const
  expect(requestText({ ...request, body: '{"to":"ada"}' })).toBe(
    'POST https://api.example/send\nauthorization: ********\ncontent-type: application/json\n\n{\n  "to": "ada"\n}',
  )
  // Cut JSON stays as it is.
  expect(requestText({ ...request, body: '{"to":"a' })).toMatch(/\n\n\{"to":"a$/)
  expect(requestText(request)).toMatch(/json$/)
})

test('SMTP: server, envelope, headers', () => {
  const envelope = { from: 'news@x.example', to: ['ada@x.example', 'cy@x.example'] }
  expect(
    requestText({ protocol: 'smtp', url: 'smtp://mail.x.example:587', envelope, headers: { subject: 'Hi' } }),
  ).toBe(
    'smtp://mail.x.example:587\nMAIL FROM:<news@x.example>\nRCPT TO:<ada@x.example>\nRCPT TO:<cy@x.example>\n\nsubject: Hi',
  )
})

test('a reply, and why none came', () => {
  expect(replyText({ status: 400, headers: { 'x-request-id': 'R1' }, body: 'no' })).toBe('400\nx-request-id: R1\n\nno')
  expect(replyText({ status: 550, body: '550 5.1.1 no such user' })).toBe('550 5.1.1 no such user')
  expect(replyText({ failure: 'timeout', error: 'No answer within 30000 ms' })).toBe(
    'timeout: No answer within 30000 ms',
  )
})

test('a cut body says so, a masked one does not', () => {
  expect(cutOf({ body: 'x'.repeat(4_096), body_size: 9_000 })).toEqual({ shown: 4_096, all: 9_000 })
  expect(cutOf({ body: 'short ********', body_size: 60 })).toBeUndefined()
  expect(cutOf({ body_size: 60 })).toBeUndefined()
})
