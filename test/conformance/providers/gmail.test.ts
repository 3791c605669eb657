/** A mail through Gmail is the same request as from its official SDK. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { everyOption, plainMail, sender } from './mail.ts'
import { hasSdks } from './sdks.ts'

const answer = { id: '18c5', threadId: '18c5', labelIds: ['SENT'], access_token: 'token' }
const scene = { ...plainMail, settings: { ...adapter('gmail').example.settings, ...sender } }

interface Gmail {
  users: { messages: { send(params: { userId: string; requestBody: { raw: string } }): Promise<{ data: object }> } }
}

describe.skipIf(!hasSdks)('Gmail', () => {
  let recorder: Recorder
  let api: Gmail
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer('/gmail/v1/users/me/messages/send', { body: answer })
    const path: string = '@googleapis/gmail'
    const { gmail } = (await import(path)) as { gmail(options: object): Gmail }
    api = gmail({ version: 'v1', rootUrl: `${recorder.url}/`, headers: { authorization: 'Bearer token' } })
  })
  afterAll(() => recorder?.close())

  test.each([
    ['a plain mail', {}],
    ['a mail with everything', { email: everyOption }],
  ])('%s', async (_title, more) => {
    const ours = adapterLikeness(adapter('gmail'), { ...scene, ...more }, answer).at(-1)
    const { raw } = (ours?.body ?? {}) as { raw: string }
    // RFC 4648 §5, as the reference demands of `raw`.
    expect(raw).toMatch(/^[\w-]+$/)
    const { data } = await api.users.messages.send({ userId: 'me', requestBody: { raw } })
    expect(data).toEqual(answer)
    expect(ours).toEqual(latestLikeness(recorder))
  })
})
