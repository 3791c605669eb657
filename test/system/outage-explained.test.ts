/** An outage is explained before it happens: who would have their turn without these integrations. */
import type { IntegrationId, Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { integrate } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let first: string
  beforeAll(async () => {
    app = await open()
    client = app.client
    const smtp = (host: string) => ({ provider: 'smtp', title: host, settings: { host, fromAddress: 'a@example.com' } })
    first = (await integrate(client, smtp('first.example'))).id
    await integrate(client, { ...smtp('second.example'), alias: 'eu-smtp' })
    await integrate(client, { provider: 'twilio', settings: { accountSid: 'A', authToken: 't', from: '+1' } })
  })

  const body = {
    message: {
      to: { email: 'ada@example.com', phone_number: '+12025550143' },
      content: { title: 'Hello', body: 'Hello' },
      routing: { method: 'single' as const, channels: ['email' as const, 'sms' as const] },
    },
  }
  const isReal = ({ reason }: { reason?: string | undefined }) => reason !== 'SANDBOX'
  const without = async (...unavailable: string[]) => {
    const { candidates, decision, steps } = await client.explain(body, { unavailable })
    return {
      decision,
      ways: candidates.filter(isReal).map(({ title, selected, reason }) => [title, reason ?? selected]),
      summary: steps.find(({ step }) => step === 'route')?.summary,
    }
  }

  test('the next integration, then the next channel has its turn; with none left the message waits', async () => {
    expect(await without()).toMatchObject({
      ways: [
        ['first.example', true],
        ['second.example', true],
        ['Twilio', true],
      ],
    })
    expect(await without(first)).toMatchObject({
      decision: { status: 'ROUTED' },
      ways: [
        ['first.example', 'UNAVAILABLE'],
        ['second.example', true],
        ['Twilio', true],
      ],
      summary: 'It goes by email (second.example); if that fails, sms (Twilio).',
    })
    expect((await without(first, 'eu-smtp')).summary).toBe('It goes by sms (Twilio).')
    expect((await without('smtp')).summary).toBe('It goes by sms (Twilio).')
    expect((await without('smtp', 'twilio')).decision).toEqual({
      status: 'UNDELIVERABLE',
      reason: 'FAILED',
      error: 'No integration that could deliver it is available: it is tried again until its time is over',
    })
  })

  test('a recipient without an address lacks it in an outage, too', async () => {
    const { candidates, decision } = await client.explain(
      {
        message: {
          ...body.message,
          to: { phone_number: '+12025550143' },
          routing: { method: 'single', channels: ['email'] },
        },
      },
      { unavailable: ['smtp'] },
    )
    expect(decision).toMatchObject({ status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA' })
    expect(candidates.filter(isReal).map(({ reason }) => reason)).toEqual([
      'INCOMPLETE_PROFILE_DATA',
      'INCOMPLETE_PROFILE_DATA',
    ])
  })

  test('a channel chooses an integration by its alias, and a strict send takes it', async () => {
    const message = { ...body.message, channels: { email: { providers: ['eu-smtp' as IntegrationId] } } }
    const { candidates, warnings } = await client.explain({ message })
    const mail = candidates.filter(({ channel }) => channel === 'email')
    expect([mail.map(({ title, selected }) => [title, selected]), warnings]).toEqual([
      [['second.example', true]],
      undefined,
    ])
    expect((await app.call('POST', '/send?strict=true', { body: { message } })).status).toBe(202)
    const unknown = { ...message, channels: { email: { providers: ['us-smtp'] } } }
    const sentence = '`us-smtp` is neither a channel nor a provider with an integration. Did you mean `eu-smtp`?'
    const { status, json } = await app.call('POST', '/send?strict=true', { body: { message: unknown } })
    expect([status, json.message]).toEqual([400, `The strict send is refused. ${sentence}`])
    const { steps } = await client.explain({ message: unknown as never })
    expect(steps.find(({ step }) => step === 'route')?.summary).toBe(`It goes by sms (Twilio). ${sentence}`)
  })

  test('a routing chooses integrations as the settings of a channel do', async () => {
    const routing = { method: 'single', channels: [{ channel: 'email', providers: ['smtp', 'sengrid'] }] }
    const sent = await app.call('POST', '/send?strict=true', { body: { message: { ...body.message, routing } } })
    expect([sent.status, sent.json.message]).toEqual([
      400,
      'The strict send is refused. `sengrid` is neither a channel nor a provider with an integration. Did you mean `sendgrid`?',
    ])
  })

  test('a name that is no integration is refused with the nearest provider', async () => {
    const { status, json } = await app.call('POST', '/explain?unavailable=twillio', { body })
    expect([status, json.param]).toEqual([400, 'unavailable.0'])
    expect(json.message).toContain('Did you mean `twilio`?')
    expect((await app.call('POST', '/explain?unavailible=twilio', { body })).status).toBe(400)
  })
})
