/** Held messages: a provider that refuses its credentials makes messages wait; a repair, a release and a cancellation end that. */
import type { Integration, Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/recorder.ts'
import { until } from '../support/until.ts'
import { inForce, integrate } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let provider: Recorder
  let mail: Integration
  let isRepaired = false

  beforeAll(async () => {
    provider = await startRecorder()
    provider.answer('/v3/mail/send', () =>
      isRepaired ? { status: 202 } : { status: 401, body: { errors: [{ message: 'The key is invalid' }] } },
    )
    app = await open()
    client = app.client
    mail = await integrate(client, {
      provider: 'sendgrid',
      settings: { apiKey: 'SG.x', fromAddress: 'hello@example.com', baseUrl: provider.url },
    })
    expect(await client.settings.get()).toEqual({ hold_misconfigured: false })
  })
  afterAll(() => provider.close())

  const send = async (recipient: string) =>
    (
      await client.send({
        message: {
          to: { user_id: recipient, email: `${recipient}@example.com` },
          content: { title: 'Hello', body: 'Hello' },
          routing: { method: 'single', channels: ['email'] },
        },
      })
    ).requestId
  const reached = (id: string, expected: string) =>
    until(
      () => client.messages.get(id),
      ({ status }) => status === expected,
      20_000,
    )

  test('without the setting it fails', async () => {
    await reached(await send('off'), 'UNDELIVERABLE')
  })

  describe('with the setting', () => {
    beforeAll(async () => {
      await client.settings.update({ hold_misconfigured: true })
    })

    test('it waits, says why and until when, and counts as waiting', async () => {
      const id = await send('held')
      const held = await reached(id, 'HELD')
      expect(held).toMatchObject({ reason: 'PROVIDER_ERROR', error: expect.stringContaining('The key is invalid') })
      const { results } = await client.messages.history(id, { type: 'HELD' })
      expect(results).toMatchObject([{ until: held.enqueued + 72 * 3_600_000, reason: 'PROVIDER_ERROR' }])
      expect((await client.messages.list({ status: ['HELD'] })).results.map((one) => one.id)).toContain(id)
      expect(await client.metrics.summary()).toMatchObject({ held: 1, oldest: null })
      const { checks } = await client.service.diagnostics()
      expect(checks.find(({ name }) => name === 'held messages')).toMatchObject({ state: 'warn' })
      expect((await client.messages.explain(id)).deliveries).toMatchObject([{ status: 'ROUTED' }])
    })

    test('it can be canceled', async () => {
      const id = await send('canceled')
      await reached(id, 'HELD')
      expect((await client.messages.cancel(id)).status).toBe('CANCELED')
    })

    test('a release tries it again, and holds it again while nothing is repaired', async () => {
      const id = (await client.messages.list({ recipient: 'held' })).results[0]?.id ?? ''
      expect(await client.messages.release({ message_ids: [id, 'nothing'] })).toEqual({ released: 1, more: false })
      await until(
        () => client.messages.history(id, { type: 'HELD' }),
        ({ results }) => results.length >= 2,
        20_000,
      )
      expect(await client.messages.release({ filter: { recipient: 'unknown' } })).toMatchObject({ released: 0 })
    })

    test('a change of the integration releases what it holds, and the message is sent', async () => {
      const id = await send('repaired')
      await reached(id, 'HELD')
      isRepaired = true
      await client.providers.update(mail.id, { provider: 'sendgrid', settings: { apiKey: 'SG.y' } })
      const { providers } = await reached(id, 'SENT')
      expect(providers).toMatchObject([{ status: 'SENT', integration: mail.id }])
      await reached((await client.messages.list({ recipient: 'held' })).results[0]?.id ?? '', 'SENT')
    })

    test('an integration that is switched off holds messages, too', async () => {
      await client.providers.update(mail.id, { provider: 'sendgrid', enabled: false })
      await inForce(client, { ...mail, enabled: false })
      const id = await send('switched-off')
      expect((await reached(id, 'HELD')).error).toContain('is switched off')
      await client.providers.update(mail.id, { provider: 'sendgrid', enabled: true })
      await reached(id, 'SENT')
    })
  })
})
