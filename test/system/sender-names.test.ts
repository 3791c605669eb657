/** The name of the sender of a mail is the one for the locale of its recipient. */
import { expect, test } from 'vitest'
import { sendAndSettle, withApp } from '../support/app.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { integrate, publish } from './templates.ts'

withApp((open) => {
  test('the name for the language of a profile, and the common one for other locales', async () => {
    const { client } = await open()
    const peer = await startRecorder()
    peer.answer('/v3/mail/send', { status: 202, body: '' })
    const fromNames = 'de: Beispiel GmbH; fr: Exemple'
    const settings = {
      apiKey: 'SG.key',
      fromAddress: 'a@example.com',
      fromName: 'Example',
      fromNames,
      baseUrl: peer.url,
    }
    await integrate(client, { provider: 'sendgrid', settings })
    await publish(client, 'welcome', { channels: ['email'] })
    const nameFor = async (locale: string) => {
      const profile = { email: 'ada@example.com', locale }
      const { status } = await sendAndSettle(client, { event: 'welcome', recipient: 'ada', profile })
      expect(status).toBe('SENT')
      return JSON.parse(peer.all.at(-1)?.body ?? '').from.name
    }
    expect([await nameFor('de-AT'), await nameFor('fr'), await nameFor('es')]).toEqual([
      'Beispiel GmbH',
      'Exemple',
      'Example',
    ])
    await peer.close()
  })
})
