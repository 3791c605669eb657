/** Where an integration sends is found from what is known about it. */
import type { CatalogEntry, Integration } from '@postrider/client'
import { expect, test } from 'vitest'
import { destinationOf, reach } from './providers.ts'

const entry = {
  settings: { baseUrl: { type: 'string', default: 'https://api.example.com' } },
} as unknown as CatalogEntry

test.each([
  ['host and port', { host: 'smtp.example.com', port: 2525 }, undefined, { host: 'smtp.example.com', port: 2525 }],
  [
    'a host with the port of submission',
    { host: 'smtp.example.com' },
    undefined,
    { host: 'smtp.example.com', port: 587 },
  ],
  ['an address of its own', { baseUrl: 'http://eu.example.com/v1' }, entry, { host: 'eu.example.com', port: 80 }],
  ['the address in the catalogue', { apiKey: '********' }, entry, { host: 'api.example.com', port: 443 }],
])('%s', (_name, settings, known, destination) => expect(destinationOf({ settings }, known)).toEqual(destination))

test('an address that is a secret is not guessed', () =>
  expect(destinationOf({ settings: { url: '********' } })).toBeUndefined())

test('one whose secrets cannot be read has failed, and its way out is named', async () => {
  const lost = { id: 'I1', provider: 'sendgrid', channels: ['email'], title: 'sendgrid', unreadable: true }
  expect(await reach(lost as unknown as Integration, { host: 'nowhere.invalid', port: 1 })).toEqual({
    name: 'provider sendgrid (email)',
    state: 'fail',
    detail: expect.stringContaining('POSTRIDER_SECRET_KEY'),
    hint: expect.stringContaining('PUT /providers/I1'),
  })
})
