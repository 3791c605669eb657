/** A message by Slack is the same request as from its official SDK. */
import type { WebClient } from '@slack/web-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { ok: true, channel: 'U7', ts: '1.1', user: { id: 'U7' } }
const content = { text: 'Hi *Ada* & “all” 👋' }

describe.skipIf(!hasSdks)('Slack', () => {
  let recorder: Recorder
  let web: WebClient
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: answer })
    const { WebClient } = await import('@slack/web-api')
    web = new WebClient('xoxb-token', { slackApiUrl: `${recorder.url}/api/`, retryConfig: { retries: 0 } })
  })
  afterAll(() => recorder.close())

  async function sdk(call: () => Promise<unknown>) {
    await call()
    return latestLikeness(recorder)
  }

  test('a post to a channel', async () => {
    const sample = { profile: { slack: { access_token: 'xoxb-token', channel: 'C1' } }, settings: {}, content }
    const sent = await sdk(() => web.chat.postMessage({ channel: 'C1', text: content.text }))
    expect(adapterLikeness(adapter('slack'), sample, answer)).toEqual([sent])
  })

  test('a look-up by mail address and the post after it', async () => {
    const profile = { slack: { access_token: 'xoxb-token', email: 'ada+work@example.com' } }
    const lookedUp = await sdk(() => web.users.lookupByEmail({ email: 'ada+work@example.com' }))
    const sent = await sdk(() => web.chat.postMessage({ channel: 'U7', text: content.text }))
    expect(adapterLikeness(adapter('slack'), { profile, settings: {}, content }, answer)).toEqual([lookedUp, sent])
  })

  test('blocks, a thread and a flag of the override', async () => {
    const body = { blocks: [{ type: 'divider' }], thread_ts: '1.2', unfurl_links: false }
    const profile = { slack: { channel: 'C1' } }
    const sample = { profile, settings: { accessToken: 'xoxb-token' }, content, override: { body } }
    const sent = await sdk(() => web.chat.postMessage({ channel: 'C1', text: content.text, ...body }))
    expect(adapterLikeness(adapter('slack'), sample, answer)).toEqual([sent])
  })
})
