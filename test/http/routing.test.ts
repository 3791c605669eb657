/** The dry run of a send shows the preferences of each recipient: the stored ones, and over them those of the call. */
import type { Explanation } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

const explanation: Explanation = {
  decision: { status: 'ROUTED' },
  steps: [
    {
      step: 'route',
      outcome: 'passed',
      code: 'routed',
      params: { method: 'all', integrations: [] },
      summary: '',
      facts: { method: 'all' },
    },
  ],
  candidates: [{ channel: 'email', selected: true, order: 0 }],
  rendered: [],
  profile: {},
}

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording', replace: { pipeline: { explain: async () => ({ explanation }) } } })
  })

  test('stored preferences are shown, with those of the call over them', async () => {
    const storedPreferences = {
      notifications: { N1: { status: 'OPTED_OUT' } },
      categories: { news: { status: 'OPTED_IN' } },
    }
    await api.call('PUT', '/preferences/known', { body: storedPreferences })
    const sendPreferences = { notifications: { N1: { status: 'OPTED_IN' }, N2: { status: 'OPTED_OUT' } } }
    const recipients = [
      { recipient: 'known' },
      { recipient: 'unknown' },
      { recipient: 'known', preferences: sendPreferences },
      { recipient: 'unknown', preferences: sendPreferences },
    ]
    const { json } = await api.call('POST', '/send/e/routing', { body: { recipients } })
    const channelsSummary = [{ channel: 'email', selected: true, type: 'always' }]
    expect(json.results[0].map(({ routing }: { routing: object }) => routing)).toEqual(
      [
        storedPreferences,
        { notifications: {}, categories: {} },
        { ...storedPreferences, ...sendPreferences },
        { categories: {}, ...sendPreferences },
      ].map((preferences) => ({ channelsSummary, preferences })),
    )
  })
})
