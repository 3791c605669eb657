/** The SMTP sink takes mail from a real client, keeps it, and refuses as scripted. */
import { createTransport } from 'nodemailer'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type SmtpSink, startSmtpSink } from './smtp.ts'

let sink: SmtpSink
beforeAll(async () => {
  sink = await startSmtpSink()
})
afterEach(() => sink.script({}))
afterAll(() => sink.close())

function send(subject: string, to: string[] = ['ada@example.com'], port = sink.port, auth?: [string, string]) {
  const [user, pass] = auth ?? []
  const transport = createTransport({ host: '127.0.0.1', port, ...(user && pass && { auth: { user, pass } }) })
  return transport.sendMail({ from: 'post@example.com', to, subject, text: 'Grüße' })
}

test('a mail is kept with its envelope, raw and parsed', async () => {
  await send('Kept', ['ada@example.com', 'bob@example.com'])
  const mail = await sink.waitFor((received) => received.parsed.subject === 'Kept')
  expect(mail).toMatchObject({ from: 'post@example.com', to: ['ada@example.com', 'bob@example.com'], secure: false })
  expect(mail.parsed.text?.trim()).toBe('Grüße')
  expect(mail.raw).toContain('Subject: Kept')
})

test('a recipient is refused with the scripted code', async () => {
  sink.script({
    recipient: (address) => (address.startsWith('gone') ? { code: 550, text: 'No such user' } : undefined),
  })
  await expect(send('Refused', ['gone@example.com'])).rejects.toMatchObject({ responseCode: 550 })
  const sent = await send('Partly', ['gone@example.com', 'ada@example.com'])
  expect(sent.rejected).toEqual(['gone@example.com'])
})

test('a complete mail can be put off', async () => {
  sink.script({ mail: () => ({ code: 451, text: 'Try later' }) })
  await expect(send('Later')).rejects.toMatchObject({ responseCode: 451 })
})

test('a connection dropped after DATA leaves the mail here and the client without an answer', async () => {
  sink.script({ mail: () => 'drop' })
  await expect(send('Dropped')).rejects.not.toHaveProperty('responseCode')
  await sink.waitFor((received) => received.parsed.subject === 'Dropped')
})

test('with a user, only the right password may send', async () => {
  const locked = await startSmtpSink({ user: 'ada', password: 'correct' })
  try {
    await expect(send('Locked', undefined, locked.port)).rejects.toThrow()
    await expect(send('Locked', undefined, locked.port, ['ada', 'wrong'])).rejects.toMatchObject({ responseCode: 535 })
    await send('Open', undefined, locked.port, ['ada', 'correct'])
    expect((await locked.waitFor(() => true)).user).toBe('ada')
  } finally {
    await locked.close()
  }
})
