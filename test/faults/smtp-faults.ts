/** Faults of SMTP: until the end of the data the server has no mail, after it the server may have it. */
import { type Script, scriptedSmtp } from '@postrider/server/internal/transport/smtp/scripted-server.harness'
import { drip, type Expected, type Fault, writeEndlessly } from './fault.ts'

const row = (name: string, expected: Expected, script: Script): Fault => ({
  name,
  expect: { smtp: expected },
  start: () => scriptedSmtp(script),
})

export const smtpFaults: readonly Fault[] = [
  row('greets with garbage', 'retry', { GREETING: '\x00\x01 garbage' }),
  row('greets without an end', 'retry', {
    GREETING: (socket) => writeEndlessly(socket, Buffer.from('220-more\r\n'.repeat(100))),
  }),
  row('drips its greeting', 'retry', { GREETING: (socket) => drip(socket, '220-more\r\n') }),
  row('has a reply line that is too long', 'retry', { EHLO: `250 ${'x'.repeat(40_000)}` }),
  row('refuses EHLO and HELO', 'rejected', { EHLO: '502 no', HELO: '502 no' }),
  row('fails at a STARTTLS that is optional', 'sent', { EHLO: '250-hi\r\n250 STARTTLS', STARTTLS: '454 not now' }),
  row('injects a reply behind STARTTLS', 'retry', {
    EHLO: '250-hi\r\n250 STARTTLS',
    STARTTLS: '220 go\r\n250 injected',
  }),
  row('is busy at the greeting', 'retry', { GREETING: '421 busy' }),
  row('is busy at MAIL', 'retry', { MAIL: '421 busy' }),
  row('is busy at RCPT', 'retry', { RCPT: '421 busy' }),
  row('is busy after the data', 'retry', { DOT: '421 busy' }),
  row('takes the mail only later', 'retry', { RCPT: '450 greylisted' }),
  row('does not know the recipient', 'rejected', { RCPT: '550 5.1.1 no such user' }),
  row('answers commands that were not sent', 'retry', {
    MAIL: '250 ok\r\n250 ok\r\n250 ok\r\n354 go\r\n250 taken\r\n250 more',
  }),
  row('is silent at RCPT', 'retry', { RCPT: undefined }),
  row('resets the connection at DATA', 'retry', { DATA: (socket) => socket.resetAndDestroy() }),
  row('resets the connection when the mail has arrived', 'in_doubt', { DOT: (socket) => socket.resetAndDestroy() }),
  row('takes the mail and never answers', 'in_doubt', { DOT: undefined }),
  row('takes the mail and drips its reply', 'in_doubt', { DOT: (socket) => drip(socket, '250-taken\r\n') }),
  row('takes the mail and answers with garbage', 'in_doubt', { DOT: 'taken, thank you' }),
]
