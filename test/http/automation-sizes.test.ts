/** An automation that is too large is refused before anything in it is read. */
import { describe, expect, test } from 'vitest'
import { hello, withAutomationCalls } from './automation-calls.ts'

withAutomationCalls(({ invoke, simulate, put }) => {
  describe.each<[string, string]>([
    ['references that are not closed', '${'.repeat(1_500_000)],
    ['references', '${data.a}'.repeat(130_000)],
  ])('more %s than an automation has room for', (_what, x) => {
    test.each<[string, object]>([
      ['a field', { steps: [{ ...hello, data: { x } }] }],
      ['the token', { steps: [hello], cancelation_token: x }],
    ])('in %s are refused everywhere, at once', async (_where, automation) => {
      const refused = [400, 'automation is larger than 256000 bytes']
      expect(await Promise.all([invoke(automation), simulate(automation), put(automation)])).toEqual(
        Array(3).fill(refused),
      )
    })
  })

  test('an address is no longer before it is filled in than after', async () => {
    const steps = [{ action: 'fetch-data', webhook: { url: `https://shop.example/${'${data.a}'.repeat(1_000)}` } }]
    expect(await invoke({ steps }, { data: { a: '' } })).toEqual([
      400,
      'automation.steps.0.webhook.url must have at most 8192 characters, also before it is filled in',
    ])
  })
})
