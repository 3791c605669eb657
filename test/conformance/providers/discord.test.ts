/** A message by Discord is the same request as from the REST client of its most used library. */
import type { REST } from '@discordjs/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const CHANNEL = '319674150115610528'
const USER = '80351110224678912'
const answer = { id: CHANNEL, channel_id: CHANNEL }
const settings = { botToken: 'token' }
const content = { text: 'Grüße & **more** 👋' }
const body = {
  content: content.text,
  allowed_mentions: { parse: [] },
  nonce: expect.stringMatching(/^[\w-]{25}$/),
  enforce_nonce: true,
}

describe.skipIf(!hasSdks)('Discord', () => {
  let recorder: Recorder
  let client: REST
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: answer })
    const { REST } = await import('@discordjs/rest')
    client = new REST({ api: `${recorder.url}/api`, version: '10', retries: 0 }).setToken('token')
  })
  afterAll(() => recorder?.close())

  async function sdk(path: `/${string}`, fields: object) {
    await client.post(path, { body: fields })
    return latestLikeness(recorder)
  }

  test('a message to a channel', async () => {
    const sample = { profile: { discord: { channel_id: CHANNEL } }, settings, content }
    const sent = await sdk(`/channels/${CHANNEL}/messages`, { content: content.text })
    expect(adapterLikeness(adapter('discord'), sample, answer)).toEqual([{ ...sent, body }])
  })

  test('a direct channel and the message in it', async () => {
    const sample = { profile: { discord: { user_id: USER } }, settings, content }
    const opened = await sdk('/users/@me/channels', { recipient_id: USER })
    const sent = await sdk(`/channels/${CHANNEL}/messages`, { content: content.text })
    expect(adapterLikeness(adapter('discord'), sample, answer)).toEqual([opened, { ...sent, body }])
  })
})
