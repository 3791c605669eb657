/** Held messages: a provider that refuses its credentials makes messages wait; a repair, a release and a cancellation end that. */
import type { Integration, Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import { type App, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { onDatabaseOf } from '../support/installation.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until, untilTime } from '../support/until.ts'
import { inForce, integrate } from './templates.ts'

withApp((open) => {
  let app: App
  let env: Record<string, string>
  let client: Postrider
  let provider: Recorder
  let mail: Integration
  let isRepaired = false

  beforeAll(async () => {
    provider = await startRecorder()
    provider.answer('/v3/mail/send', () =>
      isRepaired ? { status: 202 } : { status: 401, body: { errors: [{ message: 'The key is invalid' }] } },
    )
    provider.answer('/v3/scopes', () =>
      isRepaired ? { status: 200, body: { scopes: ['mail.send'] } } : { status: 401 },
    )
    env = await databaseEnvironment()
    app = await open({ env })
    client = app.client
    mail = await integrate(client, {
      provider: 'sendgrid',
      settings: { apiKey: 'SG.x', fromAddress: 'hello@example.com', baseUrl: provider.url },
    })
    expect(await client.settings.get()).toEqual({ hold_misconfigured: false, on_missing_variable: 'keep' })
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
    )

  test('without the setting it fails', async () => {
    await reached(await send('off'), 'UNDELIVERABLE')
  })

  describe('with the setting', () => {
    beforeAll(async () => {
      await client.settings.update({ hold_misconfigured: true })
      // Its creation counts as a repair of what is tried within two seconds of it.
      await untilTime(mail.created + 2_500)
    })

    test('it waits, says why and until when, and counts as waiting', async () => {
      const id = await send('held')
      const message = await reached(id, 'HELD')
      expect(message).toMatchObject({ reason: 'PROVIDER_ERROR', error: expect.stringContaining('The key is invalid') })
      const { results } = await client.messages.history(id, { type: 'HELD' })
      const until = message.enqueued + 72 * 3_600_000
      expect([message, ...results]).toMatchObject([{ until }, { until, reason: 'PROVIDER_ERROR' }])
      expect((await client.messages.list({ status: ['HELD'] })).results.map((message) => message.id)).toContain(id)
      expect(message.heldFor).toEqual([mail.id])
      const [listed] = (await client.messages.list({ status: ['HELD'], include: 'providers' })).results
      expect(listed?.heldFor).toEqual([mail.id])
      expect(await client.metrics.summary()).toMatchObject({ held: 1, oldest: null })
      const { checks } = await client.service.diagnostics()
      expect(checks.find(({ name }) => name === 'held messages')).toMatchObject({ state: 'warn' })
      expect((await client.messages.explain(id)).deliveries).toMatchObject([{ status: 'ROUTED' }])
    })

    test('a send that would test the integration again is said to be held by another rejection', async () => {
      const { decision } = await until(
        () =>
          client.explain({
            message: {
              to: { email: 'tested@example.com' },
              content: { title: 'Hello', body: 'Hello' },
              routing: { method: 'single', channels: ['email'] },
            },
          }),
        (explanation) => explanation.decision.status === 'ROUTED',
      )
      expect(decision).toMatchObject({ status: 'ROUTED', held_if_rejected: true })
    })

    test('it can be canceled', async () => {
      const id = await send('canceled')
      await reached(id, 'HELD')
      expect((await client.messages.cancel(id)).status).toBe('CANCELED')
    })

    test('a release tries it again, and holds it again while nothing is repaired', async () => {
      const id = (await client.messages.list({ recipient: 'held' })).results[0]?.id ?? ''
      const plan = await client.messages.release({ message_ids: [id, 'nothing'], dry_run: true })
      expect(plan).toMatchObject({ dry_run: true, releasable: 1, released: 0, messages: [{ id, recipient: 'held' }] })
      expect((await client.messages.get(id)).status).toBe('HELD')
      const released = await client.messages.release({ message_ids: [id, 'nothing'] })
      expect(released).toEqual({ dry_run: false, released: 1, more: false })
      await until(
        () => client.messages.history(id, { type: 'HELD' }),
        ({ results }) => results.length >= 2,
      )
      const [event] = (await client.messages.history(id, { type: 'RELEASED' })).results
      expect(event).toEqual({ type: 'RELEASED', ts: expect.any(Number), cause: 'call' })
      const { results } = await client.auditEvents.list()
      expect(results.filter(({ type }) => type === 'messages:released')).toHaveLength(1)
      expect(await client.messages.release({ filter: { recipient: 'unknown' } })).toMatchObject({ released: 0 })
    })

    test('the command counts and shows first, and releases with --yes', async () => {
      const id = (await client.messages.list({ recipient: 'held' })).results[0]?.id ?? ''
      await reached(id, 'HELD')
      const call = (...args: string[]) =>
        run(['messages', 'release', ...args], { env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey } })
      const dry = await call('--recipient', 'held', '--dry-run')
      expect(dry).toMatchObject({ code: 0 })
      expect(dry.out).toContain('1 message is held.')
      expect(dry.out).toContain(id)
      expect(dry.out).toContain('Nothing was released.')
      expect(await call('--recipient', 'held')).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
      expect((await client.messages.get(id)).status).toBe('HELD')
      expect((await call('--recipient', 'held', '--yes')).out).toContain('Released 1 message.')
      expect((await call('--recipient', 'unknown', '--yes')).out).toContain('There is nothing to release.')
      expect(await call(id, '--recipient', 'held')).toMatchObject({ code: 2 })
      await until(
        () => client.messages.history(id, { type: 'RELEASED' }),
        ({ results }) => results.length === 2,
      )
      const shown = await run(['messages', 'show', id], {
        env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey },
      })
      expect(shown.out).toMatch(/RELEASED +by a call/)
    })

    test('a status that a release changes is reported to webhooks', async () => {
      const id = (await client.messages.list({ recipient: 'held' })).results[0]?.id ?? ''
      await reached(id, 'HELD')
      await client.webhooks.create({ url: `${provider.url}/hook`, types: ['message:updated'] })
      provider.answer('/hook', {})
      await client.messages.release()
      const statuses = () =>
        provider.all
          .filter(({ path }) => path === '/hook')
          .map(({ body }) => (JSON.parse(body) as { data: { id: string; status: string } }).data)
          .filter((data) => data.id === id)
      // A delivery reads the message as it is by then.
      await until(
        async () => statuses().length,
        (count) => count >= 2,
      )
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

    test('a test that only signs in releases all that a repair elsewhere left', async () => {
      isRepaired = false
      const ids = await Promise.all(['first', 'second', 'third'].map(send))
      for (const id of ids) await reached(id, 'HELD')
      isRepaired = true
      expect(await client.providers.test(mail.id)).toMatchObject({ ok: true, sign_in: { state: 'ok' } })
      for (const id of ids) await reached(id, 'SENT')
    })

    test('an integration that is switched off holds messages, too', async () => {
      await client.providers.update(mail.id, { provider: 'sendgrid', enabled: false })
      await inForce(client, { ...mail, enabled: false })
      const id = await send('switched-off')
      expect((await reached(id, 'HELD')).error).toContain('is switched off')
      await client.providers.update(mail.id, { provider: 'sendgrid', enabled: true })
      await reached(id, 'SENT')
    })

    test('an integration that is added sends what another one holds, and is one of its candidates', async () => {
      isRepaired = false
      const id = await send('added')
      await reached(id, 'HELD')
      provider.answer('/second/v3/mail/send', { status: 202 })
      const second = await integrate(client, {
        provider: 'sendgrid',
        title: 'Second mail',
        settings: { apiKey: 'SG.z', fromAddress: 'hello@example.com', baseUrl: `${provider.url}/second` },
      })
      await reached(id, 'SENT')
      const { candidates, deliveries } = await client.messages.explain(id)
      expect(deliveries.map(({ integration }) => integration)).toEqual([mail.id, second.id])
      expect(candidates).toMatchObject([
        { integration: mail.id, selected: true, order: 0 },
        { integration: second.id, title: 'Second mail', selected: true, order: 1 },
        { title: 'Mailbox', selected: false, order: 2 },
      ])
      const { out } = await run(['messages', 'show', id], {
        env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey },
      })
      expect(out).toMatch(/RELEASED +Second mail was added or changed, or works again/)
    })

    test('an integration that is switched on again sends what another one holds', async () => {
      isRepaired = false
      const second = (await client.providers.list()).results.find(({ title }) => title === 'Second mail')!
      await client.providers.update(second.id, { provider: 'sendgrid', enabled: false })
      await inForce(client, { ...second, enabled: false })
      // For a minute from its creation it would have all that its channel holds.
      const text = 'update integrations set created = created - 120000 where id = $1'
      await onDatabaseOf(env, (engine) => engine.run({ text, values: [second.id] }))
      const id = await send('switched-on')
      expect((await reached(id, 'HELD')).heldFor).toEqual([mail.id])
      await client.providers.update(second.id, { provider: 'sendgrid', enabled: true })
      await reached(id, 'SENT')
      const { deliveries } = await client.messages.explain(id)
      expect(deliveries.map(({ integration, status }) => [integration, status])).toContainEqual([second.id, 'SENT'])
    })

    test('the sentence names an integration that was deleted before its next turn', async () => {
      provider.answer('/2010-04-01/Accounts/AC1/Messages.json', { status: 401, body: { message: 'Authenticate' } })
      const twilio = (title: string) =>
        integrate(client, {
          ...{ provider: 'twilio', title },
          settings: { accountSid: 'AC1', authToken: 'token-1', from: '+12025550100', baseUrl: provider.url },
        })
      const first = await twilio('First')
      const second = await twilio('Second')
      await untilTime(second.created + 2_500)
      const { requestId: id } = await client.send({
        message: {
          to: { user_id: 'deleted', phone_number: '+12025550177' },
          content: { title: 'Hello', body: 'Hello' },
          routing: { method: 'single', channels: ['sms'] },
        },
      })
      await reached(id, 'HELD')
      await client.providers.delete(second.id)
      await inForce(client, second, false)
      const env = { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey }
      const shown = async () => (await run(['messages', 'show', id], { env })).out
      expect(await shown()).toMatch(/Held until First is repaired: `401 .+`\. Twilio has been deleted\./)
      await client.messages.release({ message_ids: [id] })
      await until(
        () => client.messages.history(id, { type: 'HELD' }),
        ({ results }) => results.length === 2,
      )
      expect(await shown()).toMatch(
        /Twilio failed: `401 .+`; Twilio was not called again: the integration has been deleted\./,
      )
      await client.providers.delete(first.id)
      await inForce(client, first, false)
      expect(await shown()).toMatch(/Held for Twilio, which has been deleted\. No repair releases it: add another/)
      await client.messages.release({ message_ids: [id] })
      await reached(id, 'UNDELIVERABLE')
      expect(await shown()).toMatch(/was not called again: the integration has been deleted\. Nothing else is left\./)
    })

    test('the end of the setting lets it end as it would have, and no event says that anything was repaired', async () => {
      for (const { id, provider } of (await client.providers.list()).results)
        if (provider === 'sendgrid') await client.providers.update(id, { provider, enabled: false })
      await inForce(client, { ...mail, enabled: false })
      const id = await send('setting-off')
      await reached(id, 'HELD')
      await client.settings.update({ hold_misconfigured: false })
      await reached(id, 'UNROUTABLE')
      const { results } = await client.messages.history(id, { type: 'RELEASED' })
      expect(results).toEqual([{ type: 'RELEASED', ts: expect.any(Number), cause: 'settings' }])
    })
  })
})
