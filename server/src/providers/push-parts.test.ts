/** A push without anything to show and without data never leaves, whatever its provider. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../base/json/json.ts'
import { runAdapter } from './adapter.harness.ts'
import type { Provider } from './provider.ts'
import apn from './push/apn.ts'
import expo from './push/expo.ts'
import fcm from './push/firebase-fcm.ts'
import webPush from './push/web-push.ts'
import { checkContent } from './push-parts.ts'

test.each<JsonObject>([
  { title: '', body: '' },
  { notification: { title: ' ', body: '\n' } },
  { aps: { alert: { title: '', body: '' }, badge: null } },
  { title: '', body: '', data: {} },
  { title: '', data: { trackingUrl: 'https://n.example/e/x' } },
])('%j is refused', (payload) => expect(() => checkContent(payload)).toThrow('title and body are missing'))

test.each<JsonObject>([
  { title: '', body: 'x' },
  { notification: { title: 'x', body: '' } },
  { aps: { 'content-available': 1 } },
  { aps: { alert: { 'loc-key': 'ORDER' } } },
  { data: { order: 7 } },
  { data: { silent: false } },
  { title: '', body: '', data: { list: ['x'] } },
])('%j leaves', (payload) => expect(() => checkContent(payload)).not.toThrow())

test.each([apn, expo, fcm, webPush] as Provider[])('$key makes no call for an empty push', (provider) => {
  const { profile, settings } = provider.example
  const scene = { profile, settings: settings as JsonObject, content: { title: '', body: '' } }
  expect(runAdapter(provider, scene)).toMatchObject({
    requests: [],
    outcome: { kind: 'rejected', scope: 'content', error: 'title and body are missing' },
  })
})
