/** A failed message stands at the integrations that had a delivery of it, and at no other of their provider. */
import { expect, test } from 'vitest'
import { failedAt } from './failed-at.ts'

const status = 'UNDELIVERABLE' as const
const messages = [
  {
    error: 'both',
    providers: [
      { status, integration: 'a', error: '535' },
      { status, integration: 'b', error: '550' },
    ],
  },
  { error: 'only a', providers: [{ status, integration: 'a' }] },
  { error: 'none' },
]

test('each integration has its own, with the error of its delivery', () => {
  expect(failedAt(messages, 'a').map(({ error }) => error)).toEqual(['535', 'only a'])
  expect(failedAt(messages, 'b').map(({ error }) => error)).toEqual(['550'])
  expect(failedAt(messages, 'c')).toEqual([])
})

test('the last one of several devices counts', () => {
  const devices = ['first', 'last'].map((error) => ({ status, integration: 'a', error }))
  expect(failedAt([{ providers: devices }], 'a').map(({ error }) => error)).toEqual(['last'])
})
