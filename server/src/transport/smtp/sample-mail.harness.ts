/** For tests: a mail as small as one can be, for a server. */
import type { Mail, MailRequest, SmtpServer } from '../../base/exchange.ts'

export function mailTo(server: SmtpServer, more: Partial<Mail> = {}): MailRequest {
  const mail: Mail = {
    messageId: '1-67e0a1b2-0000@example.com',
    date: 0,
    from: { name: 'Acme', address: 'hello@acme.example' },
    to: [{ address: 'jane@example.org' }],
    subject: 'Hello',
    text: 'Hi',
    ...more,
  }
  return { kind: 'mail', final: true, server, mail }
}
