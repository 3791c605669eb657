/**
 * Names that stand for nothing: ignored where an automation is invoked, named where it is kept, refused in bodies of
 * Postrider's own.
 */
import { describe, expect, test } from 'vitest'
import { hello, message, withAutomationCalls } from './automation-calls.ts'

withAutomationCalls(({ call, answerTo, invoke, simulate, put, warningsOf }) => {
  test.each<[string, readonly object[], string]>([
    [
      'a misspelled field of a message',
      message({ contnet: { title: 'x' } }),
      'Unknown field `contnet` at automation.steps.0.message. Did you mean `content`?',
    ],
    [
      'a topic beside the preferences',
      message({ subscription_topic_id: 'x', data: { a: '${data.a}' } }),
      'Unknown field `subscription_topic_id` at automation.steps.0.message. Did you mean `preferences.subscription_topic_id`?',
    ],
    [
      'a misspelled topic',
      message({ preferences: { subscription_topic: 'x' } }),
      'Unknown field `subscription_topic` at automation.steps.0.message.preferences. Did you mean `subscription_topic_id`?',
    ],
    [
      'a misspelled timeout',
      message({ timeout: { mesage: 5 } }),
      'Unknown field `mesage` at automation.steps.0.message.timeout. Did you mean `message`?',
    ],
    [
      'a misspelled time zone of a delay',
      message({ delay: { until: '2026-02-01', timeZone: 'UTC' } }),
      'Unknown field `timeZone` at automation.steps.0.message.delay. Did you mean `timezone`?',
    ],
    [
      'a misspelled field of an entry in a group of the routing',
      message({ routing: { method: 'all', channels: [{ channels: [{ channel: 'email', providrs: ['smtp'] }] }] } }),
      'Unknown field `providrs` at automation.steps.0.message.routing.channels.0.channels.0. Did you mean `providers`?',
    ],
    [
      'a misspelled setting of a channel',
      message({ channels: { email: { overide: {} } } }),
      'Unknown field `overide` at automation.steps.0.message.channels.email. Did you mean `override`?',
    ],
    [
      'a misspelled setting of a provider',
      message({ providers: { smtp: { overide: {} } } }),
      'Unknown field `overide` at automation.steps.0.message.providers.smtp. Did you mean `override`?',
    ],
  ])('%s is ignored when it is invoked, and named when it is kept', async (_what, steps, warning) => {
    const automation = { steps }
    expect(await invoke(automation)).toEqual([200, undefined])
    expect(await warningsOf(automation)).toEqual([warning])
  })

  test.each<[string, object, string]>([
    [
      'of an entry of the routing',
      { routing: { method: 'all', channels: ['sms', { channel: 'email', if: 'data.plan === "${data.plan}"' }] } },
      'routing.channels.1.if',
    ],
    [
      'of an entry of a group',
      { routing: { channels: [{ channels: [{ channel: 'email', if: { $ref: 'data.condition' } }] }] } },
      'routing.channels.0.channels.0.if',
    ],
    ['of a channel', { channels: { email: { if: '${data.condition}' } } }, 'channels.email.if'],
    ['of a channel, whole', { channels: { sms: { if: { $ref: 'data.condition' } } } }, 'channels.sms.if'],
    ['of a provider', { providers: { smtp: { if: 'data.n > ${data.n}' } } }, 'providers.smtp.if'],
    ['of a provider, by a ref', { providers: { smtp: { if: 'refs.data.condition' } } }, 'providers.smtp.if'],
  ])('a value is no part of the condition %s', async (_what, fields, place) => {
    const expected = `automation.steps.0.message.${place} cannot be filled in: a condition reads \`data.…\` and \`profile.…\` itself`
    const automation = { steps: message(fields) }
    const answers = await Promise.all([invoke(automation), simulate(automation), put(automation)])
    expect(answers).toEqual(Array(3).fill([400, expected]))
  })

  test('every field of a message that the public clients have is taken, and any name of a channel, as in a send', async () => {
    const steps = message({
      to: { user_id: 'ada', slack: { email: 'a@example.com' }, anything: { at: 'all' } },
      brand_id: 'b',
      channels: {
        email: { brand_id: 'b', override: { from: 'x' }, timeouts: { channel: 5 }, routing_method: 'all' },
        'carrier-pigeon': { if: '!profile.away' },
      },
      providers: { plivo: { override: { body: {} }, timeouts: 5, if: 'true', metadata: { utm: { source: 'x' } } } },
      routing: {
        method: 'single',
        channels: [
          'email',
          'plivo',
          { channel: 'sms', config: {}, providers: ['twilio'] },
          '${data.channel}',
          'banner',
          { channel: 'carrier-pigeon', if: 'data.x > 1' },
        ],
      },
      metadata: { tags: ['a'], trace_id: 't', event: 'e', utm: { source: 's' } },
      timeout: { channel: { email: 5 }, provider: { smtp: 5 }, criteria: 'viewed', escalation: 5 },
      expiry: { expires_in: 'P1D' },
      context: { tenant_id: 't' },
      preferences: null,
      nothing: null,
    })
    expect(await Promise.all([invoke({ steps }), put({ steps })])).toEqual([
      [200, undefined],
      [200, undefined],
    ])
  })

  describe('fields beside the steps', () => {
    test.each([
      [{ cancelation_tokn: 't' }, 'Unknown field `cancelation_tokn` at automation. Did you mean `cancelation_token`?'],
      [{ recipent: 'ada' }, 'Unknown field `recipent` at automation. Did you mean `recipient`?'],
    ])('is ignored when it is misspelled, and named when it is kept: %j', async (beside, warning) => {
      const automation = { steps: [hello], ...beside }
      expect(await invoke(automation)).toEqual([200, undefined])
      expect(await warningsOf(automation)).toEqual([warning])
    })
    test('may be null, and a context is not misspelled', async () => {
      const automation = { steps: [hello], nothing: null, data: { any: 1 }, recipient: 'ada', cancellationToken: 't' }
      expect(await Promise.all([invoke(automation), put(automation)])).toEqual([
        [200, undefined],
        [200, undefined],
      ])
    })
    test('unknown fields of an invoke are ignored, as public clients may send more', async () => {
      expect(await invoke({ steps: [hello] }, { more: 1 })).toEqual([200, undefined])
    })
  })

  test.each<[object, string]>([
    [{ profile: {} }, 'Unknown field `profile`. Did you mean `profiles`?'],
    [{ strat: 1 }, 'Unknown field `strat`. Did you mean `start`?'],
    [{ recipient: 'ada' }, 'Unknown field `recipient`. Did you mean `context.recipient`?'],
    [{ context: { recipent: 'ada' } }, 'Unknown field `recipent` at context. Did you mean `recipient`?'],
    [{ further: [{ after: 'PT1H', contxt: {} }] }, 'Unknown field `contxt` at further.0. Did you mean `context`?'],
  ])('a simulation with %j is refused', async (more, message) => {
    const answer = await answerTo('POST', '/automations/simulate', { automation: { steps: [hello] }, ...more })
    expect(answer).toEqual([400, expect.stringContaining(message)])
  })

  test.each<[object, string]>([
    [{ automaton: {} }, 'Unknown field `automaton`. Did you mean `automation`?'],
    [{ steps: [] }, 'Unknown field `steps`. Did you mean `automation.steps`?'],
    [
      { triggers: [{ type: 'schedule', cron: '0 9 * * *', timeZone: 'Europe/Berlin' }] },
      'Unknown field `timeZone` at triggers.0. Did you mean `timezone`?',
    ],
    [
      { triggers: [{ type: 'event', event: 'e', timezone: 'UTC' }] },
      'Unknown field `timezone` at triggers.0. A trigger of the type event has `type`, `event`.',
    ],
  ])('a template with %j is refused', async (more, message) => {
    const body = { automation: { steps: [hello] }, ...more }
    expect(await answerTo('PUT', '/automations/templates/refused', body)).toEqual([400, message])
    expect((await call('GET', '/automations/templates/refused')).status).toBe(404)
  })
})
