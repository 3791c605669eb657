/** Names that stand for nothing are refused in all that is our own: messages of steps, what stands beside steps, templates, triggers, simulations. */
import { describe, expect, test } from 'vitest'
import { hello, message, withAutomationCalls } from './automation-calls.ts'

withAutomationCalls(({ ask, answerTo, invoke, simulate, put }) => {
  test.each<[string, readonly object[], string]>([
    [
      'a misspelt field of a message',
      message({ contnet: { title: 'x' } }),
      'steps.0.message.contnet is not known here; `content` is meant?',
    ],
    [
      'a topic beside the preferences',
      message({ subscription_topic_id: 'x', data: { a: '${data.a}' } }),
      'steps.0.message.subscription_topic_id is not known here; `preferences.subscription_topic_id` is meant?',
    ],
    [
      'a misspelt topic',
      message({ preferences: { subscription_topic: 'x' } }),
      'steps.0.message.preferences.subscription_topic is not known here; `subscription_topic_id` is meant?',
    ],
    [
      'a misspelt timeout',
      message({ timeout: { mesage: 5 } }),
      'steps.0.message.timeout.mesage is not known here; `message`',
    ],
    [
      'a misspelt time zone of a delay',
      message({ delay: { until: '2030-01-01', timeZone: 'UTC' } }),
      'steps.0.message.delay.timeZone is not known here; `timezone`',
    ],
    [
      'a misspelt field of an entry in a group of the routing',
      message({ routing: { method: 'all', channels: [{ channels: [{ channel: 'email', providrs: ['smtp'] }] }] } }),
      'steps.0.message.routing.channels.0.channels.0.providrs is not known here; `providers` is meant?',
    ],
    [
      'a misspelt setting of a channel',
      message({ channels: { email: { overide: {} } } }),
      'steps.0.message.channels.email.overide is not known here; `override` is meant?',
    ],
    [
      'a misspelt setting of a provider',
      message({ providers: { smtp: { overide: {} } } }),
      'steps.0.message.providers.smtp.overide is not known here; `override` is meant?',
    ],
  ])('%s is refused when it is invoked, simulated and kept', async (_what, steps, told) => {
    const refused = [400, expect.stringContaining(`automation.${told}`)]
    const automation = { steps }
    const answers = await Promise.all([invoke(automation), simulate(automation), put(automation)])
    expect(answers).toEqual([refused, refused, refused])
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
    const told = `automation.steps.0.message.${place} cannot be filled in: a condition reads \`data.…\` and \`profile.…\` itself`
    const automation = { steps: message(fields) }
    const answers = await Promise.all([invoke(automation), simulate(automation), put(automation)])
    expect(answers).toEqual(Array(3).fill([400, told]))
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

  describe('what stands beside the steps', () => {
    test.each([
      [{ cancelation_tokn: 't' }, 'automation.cancelation_tokn is not known here; `cancelation_token` is meant?'],
      [{ recipent: 'ada' }, 'automation.recipent is not known here; `recipient` is meant?'],
    ])('is refused when it is misspelt: %j', async (beside, told) => {
      const automation = { steps: [hello], ...beside }
      const answers = await Promise.all([invoke(automation), simulate(automation), put(automation)])
      expect(answers).toEqual([
        [400, told],
        [400, told],
        [400, told],
      ])
    })
    test('may be null, and a context is not misspelt', async () => {
      const automation = { steps: [hello], nothing: null, data: { any: 1 }, recipient: 'ada', cancellationToken: 't' }
      expect(await Promise.all([invoke(automation), put(automation)])).toEqual([
        [200, undefined],
        [200, undefined],
      ])
    })
    test('of an invoke is passed over, as public clients may send more', async () => {
      expect(await invoke({ steps: [hello] }, { more: 1 })).toEqual([200, undefined])
    })
  })

  test.each<[object, string]>([
    [{ profile: {} }, 'profile is not known here; `profiles` is meant?'],
    [{ strat: 1 }, 'strat is not known here; `start` is meant?'],
    [{ recipient: 'ada' }, 'recipient is not known here; `context.recipient` is meant?'],
    [{ context: { recipent: 'ada' } }, 'context.recipent is not known here; `recipient` is meant?'],
    [{ further: [{ after: 'PT1H', contxt: {} }] }, 'further.0.contxt is not known here; `context` is meant?'],
    [{ templates: { t: { steps: [hello], tokn: 1 } } }, 'templates.t.tokn is not known here; an automation has steps,'],
  ])('a simulation with %j is refused', async (more, told) => {
    const answer = await answerTo('POST', '/automations/simulate', { automation: { steps: [hello] }, ...more })
    expect(answer).toEqual([400, expect.stringContaining(told)])
  })

  test.each<[object, string]>([
    [{ automaton: {} }, 'automaton is not known here; `automation` is meant?'],
    [{ steps: [] }, 'steps is not known here; `automation.steps` is meant?'],
    [
      { triggers: [{ type: 'schedule', cron: '0 9 * * *', timeZone: 'Europe/Berlin' }] },
      'triggers.0.timeZone is not known here; `timezone` is meant?',
    ],
    [
      { triggers: [{ type: 'event', event: 'e', timezone: 'UTC' }] },
      'triggers.0.timezone is not known here; a trigger of the type event has type, event',
    ],
  ])('a template with %j is refused', async (more, told) => {
    const body = { automation: { steps: [hello] }, ...more }
    expect(await answerTo('PUT', '/automations/templates/refused', body)).toEqual([400, told])
    expect((await ask('GET', '/automations/templates/refused')).status).toBe(404)
  })
})
