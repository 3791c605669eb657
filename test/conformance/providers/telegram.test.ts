/** A message by Telegram is the same request as from the most used library for its bots. */
import type { Api } from 'grammy'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { ok: true, result: { message_id: 7, chat: { id: 42 } } }
const scene = {
  profile: { telegram: { chat_id: 42 } },
  settings: { botToken: '1:token' },
  content: { text: 'Grüße &amp; <b>more</b> 👋' },
}
const tight = false

describe.skipIf(!hasSdks)('Telegram', () => {
  let recorder: Recorder
  let client: Api
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: answer })
    const { Api } = await import('grammy')
    client = new Api('1:token', { apiRoot: recorder.url })
  })
  afterAll(() => recorder?.close())

  async function sdk(...message: Parameters<Api['sendMessage']>) {
    await client.sendMessage(...message)
    return latestLikeness(recorder)
  }

  test('a text', async () => {
    const sent = await sdk(42, scene.content.text, { parse_mode: 'HTML' })
    expect(adapterLikeness(adapter('telegram'), scene, answer)).toEqual([sent])
  })

  test('a text with a button, a picture and an option of an override', async () => {
    const { InlineKeyboard } = await import('grammy')
    const content = {
      elements: [
        { type: 'text', text: 'Hi', tight },
        { type: 'image', text: 'Cat', url: 'https://x.y/i', plain: 'Cat', tight },
        { type: 'button', text: 'Go', url: 'https://x.y', plain: 'Go', tight },
      ],
    } as const
    const sent = await sdk(42, 'Hi', {
      parse_mode: 'HTML',
      reply_markup: new InlineKeyboard().url('Go', 'https://x.y'),
      link_preview_options: { url: 'https://x.y/i', prefer_large_media: true },
      protect_content: true,
    })
    const override = { body: { protect_content: true } }
    expect(adapterLikeness(adapter('telegram'), { ...scene, content, override }, answer)).toEqual([sent])
  })
})
