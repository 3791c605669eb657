/** The mailbox of production serves a channel until its first real integration, and never reports DELIVERED in its place. */
import type { Postrider } from '@postrider/client'
import { expect, test } from 'vitest'
import { sendAndSettle, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'
import { inForce, integrate, publish } from './templates.ts'

withApp((open) => {
  const send = { event: 'note', recipient: 'ada', profile: { phone_number: '+12025550143' } }
  const twilio = {
    provider: 'twilio' as const,
    title: 'Text messages',
    settings: { accountSid: 'AC0123456789abcdef0123456789abcdef', authToken: 'secret', from: '+12025550100' },
  }
  /** True when it goes to the mailbox, once decisions use the last change. */
  const goesToMailbox = (client: Postrider, expected: boolean) =>
    until(
      () => client.explain(send),
      ({ candidates }) => candidates.some(({ provider, selected }) => provider === 'mailbox' && selected) === expected,
    )

  test('switched off or deleted, the last integration leaves its channel without a provider', async () => {
    const { client } = await open()
    await publish(client, 'note', { channels: ['sms'] })
    expect((await sendAndSettle(client, send)).status).toBe('DELIVERED')

    const made = await integrate(client, twilio)
    const off = await client.providers.update(made.id, { provider: 'twilio', enabled: false })
    await inForce(client, off)
    const stopped = await sendAndSettle(client, send)
    expect(stopped).toMatchObject({ status: 'UNROUTABLE', reason: 'NO_PROVIDERS', providers: [] })
    expect(stopped.error).toBe(
      'No provider can be used: sms (Text messages) is switched off; the mailbox does not serve sms in the place of a real integration',
    )

    await client.providers.delete(made.id)
    await inForce(client, off, false)
    const gone = await sendAndSettle(client, send)
    expect(gone).toMatchObject({ status: 'UNROUTABLE', reason: 'NO_PROVIDERS' })
    expect(gone.error).toBe(
      'No provider can be used: the mailbox does not serve sms in the place of a real integration',
    )
    expect((await client.mailbox.list({ channel: 'sms' })).results).toHaveLength(1)

    // Beside channels in which the recipient has no address, it is still the one without a provider that is named.
    await publish(client, 'anyhow', { channels: ['email', 'push', 'sms', 'inbox'] })
    const anyhow = await sendAndSettle(client, { ...send, event: 'anyhow' })
    expect(anyhow).toMatchObject({ status: 'UNROUTABLE', reason: 'NO_PROVIDERS' })
    expect(anyhow.error).toBe(
      'No provider can be used: the mailbox does not serve sms in the place of a real integration; ' +
        'the mailbox does not take inbox, because only one of the channels is used, and there is or was a real integration for sms',
    )

    // Channels that never had a real integration are the mailbox's still.
    await publish(client, 'mail', { channels: ['email'] })
    const mail = { event: 'mail', recipient: 'ada', profile: { email: 'ada@example.com' } }
    expect((await sendAndSettle(client, mail)).status).toBe('DELIVERED')
  })

  test('an integration that is prepared takes nothing from the mailbox before it is first switched on', async () => {
    const { client } = await open()
    await publish(client, 'note', { channels: ['sms'] })
    const made = await integrate(client, { ...twilio, enabled: false })
    expect((await sendAndSettle(client, send)).status).toBe('DELIVERED')
    await client.providers.update(made.id, { provider: 'twilio', enabled: true })
    await goesToMailbox(client, false)
    await client.providers.update(made.id, { provider: 'twilio', enabled: false })
    await inForce(client, made)
    expect((await sendAndSettle(client, send)).reason).toBe('NO_PROVIDERS')
  })

  test('in the test environment the mailbox takes over again', async () => {
    const app = await open()
    const { client } = await app.key('published', 'test')
    await publish(client, 'note', { channels: ['sms'] })
    const { id } = await integrate(client, twilio)
    await goesToMailbox(client, false)
    await client.providers.update(id, { provider: 'twilio', enabled: false })
    await goesToMailbox(client, true)
    expect((await sendAndSettle(client, send)).status).toBe('DELIVERED')
  })
})
