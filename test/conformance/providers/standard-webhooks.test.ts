/** The library of Standard Webhooks verifies our calls, with each form of secret, and refuses changed ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, sendAndSettle } from '../../support/app.ts'
import { type Recorded, type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { hasSdks } from './sdks.ts'

describe.skipIf(!hasSdks)('Standard Webhooks', () => {
  let app: App
  let peer: Recorder
  beforeAll(async () => {
    ;[app, peer] = await Promise.all([openApp(), startRecorder()])
  })
  afterAll(() => Promise.all([app?.stop(), peer?.close()]))

  const callTo = async (path: string): Promise<Recorded> => {
    await sendAndSettle(app.client, { event: 'unknown', recipient: path })
    return peer.waitFor((request) => request.path === `/${path}`)
  }

  test.each([
    ['a secret that was made', undefined, 'base64'],
    ['a secret with the prefix', `whsec_${Buffer.alloc(24, 7).toString('base64')}`, 'base64'],
    ['a secret of another form', 'a-secret-to-try-it-with', 'raw'],
  ] as const)('%s', async (title, secret, format) => {
    const { Webhook } = await import('standardwebhooks')
    const path = title.replaceAll(' ', '-')
    const made = await app.client.webhooks.create({ url: `${peer.url}/${path}`, ...(secret && { secret }) })
    const { headers, body } = await callTo(path)
    const webhook = new Webhook(made.secret ?? '', format === 'raw' ? { format } : {})
    const read = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    expect(webhook.verify(body, read)).toMatchObject({ type: 'message:updated', data: { recipient: path } })
    expect(() => webhook.verify(`${body} `, read)).toThrow('No matching signature')
    expect(() => webhook.verify(body, { ...read, 'webhook-id': 'another' })).toThrow('No matching signature')
    await app.client.webhooks.delete(made.id)
  })
})
