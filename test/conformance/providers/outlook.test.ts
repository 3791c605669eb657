/** A mail through Microsoft Graph is the same request as from its official SDK. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { everyOption, plainMail, sender } from './mail.ts'
import { hasSdks } from './sdks.ts'

const settings = { ...adapter('outlook').example.settings, ...sender }
const scene = { ...plainMail, settings }

interface Graph {
  api(path: string): { header(name: string, value: string): { post(body: string): Promise<unknown> } }
}

describe.skipIf(!hasSdks)('Microsoft Graph', () => {
  const { fetch } = globalThis
  let recorder: Recorder
  let graph: Graph
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { status: 202 })
    // The SDK gives its token to no address but those of Microsoft.
    globalThis.fetch = (url, init) => fetch(String(url).replace('https://graph.microsoft.com', recorder.url), init)
    const path: string = '@microsoft/microsoft-graph-client'
    const { Client } = (await import(path)) as { Client: { init(options: object): Graph } }
    graph = Client.init({ authProvider: (done: (error: null, token: string) => void) => done(null, 'token') })
  })
  afterAll(() => {
    globalThis.fetch = fetch
    return recorder?.close()
  })

  test.each([
    ['a plain mail of the app', '/users/news@example.org/sendMail', {}],
    ['a mail with everything', '/users/news@example.org/sendMail', { email: everyOption }],
    ['a mail of the signed-in mailbox', '/me/sendMail', { settings: { ...settings, refreshToken: '0.refresh' } }],
  ])('%s', async (_title, path, more) => {
    const ours = adapterLikeness(adapter('outlook'), { ...scene, ...more }, { access_token: 'token' }).at(-1)
    const mime = ours?.body as string
    await graph.api(path).header('Content-Type', 'text/plain').post(mime)
    expect(ours).toEqual(latestLikeness(recorder))
    expect(mime).toMatch(/^[\w+/]+={0,2}$/)
  })
})
