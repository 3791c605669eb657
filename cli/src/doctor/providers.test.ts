/** Where an integration sends is found from what is known about it. */
import type { CatalogEntry } from '@postrider/client'
import { expect, test } from 'vitest'
import { destinationOf } from './providers.ts'

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
