/** An integration of every provider, each with a stored secret, an event of its name, and a recipient all of them reach. */
import type { Postrider } from '@postrider/client'
import type { Recorder } from '../support/recorder.ts'
import type { SmtpSink } from '../support/smtp.ts'
import { integrate, publish } from './templates.ts'

export const secrets = {
  webhook: 'stored-hook-token',
  sendgrid: 'stored-sendgrid-key',
  twilio: 'stored-twilio-token',
  slack: 'stored-slack-token',
  smtp: 'stored-smtp-password',
}

export const smtpUser = { user: 'u', password: secrets.smtp }

export const profile = {
  name: 'Ada',
  email: 'ada@example.com',
  phone_number: '+12025550143',
  slack: { channel: 'C1' },
}

export async function integrateAll(client: Postrider, peer: Recorder, mail: SmtpSink): Promise<void> {
  const baseUrl = peer.url
  const fromAddress = 'news@shop.example'
  const server = { host: '127.0.0.1', port: mail.port, security: 'opportunistic' }
  const settings = {
    webhook: { url: `${baseUrl}/hook`, authentication: 'bearer', token: secrets.webhook },
    sendgrid: { apiKey: secrets.sendgrid, fromAddress, baseUrl },
    twilio: { accountSid: 'AC1', authToken: secrets.twilio, from: '+12025550100', baseUrl },
    slack: { accessToken: secrets.slack, baseUrl },
    smtp: { ...server, ...smtpUser, fromAddress },
  }
  for (const [provider, values] of Object.entries(settings)) {
    await integrate(client, { provider, settings: values })
    await publish(client, provider, { channels: [provider] })
  }
}
