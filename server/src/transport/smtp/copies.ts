/** A mail to its addressee, then to the copies that have an envelope of their own. */
import type { SmtpServer } from '../../base/exchange.ts'
import type { BuiltMail } from '../../base/mime/mime.ts'
import type { Limits } from '../time-limit.ts'
import type { SmtpClient } from './client.ts'
import { notTaken, type SmtpAnswer } from './session.ts'

/** The answer about the addressee, and which copies were not taken. Without the addressee no copy is sent. */
export function mailToAll(
  client: Pick<SmtpClient, 'send'>,
  server: SmtpServer,
  mail: BuiltMail,
  limits: Limits,
): Promise<SmtpAnswer> {
  const sending = client.send(server, mail, limits)
  return mail.copies.length > 0 ? sendCopies(client, server, mail, limits, sending) : sending
}

async function sendCopies(
  client: Pick<SmtpClient, 'send'>,
  server: SmtpServer,
  mail: BuiltMail,
  { signal, timeoutMs }: Limits,
  sending: Promise<SmtpAnswer>,
): Promise<SmtpAnswer> {
  const start = performance.now()
  const taken = await sending
  if (taken.kind !== 'mail' || !isTaken(taken)) return taken
  const limits = { signal, timeoutMs: Math.max(1, timeoutMs - (performance.now() - start)) }
  const answers = await Promise.all(
    mail.copies.map(async (envelope) => {
      const answer = await client.send(server, { ...mail, envelope }, limits)
      return isTaken(answer) ? '' : notTaken(envelope.to[0] ?? '', answer)
    }),
  )
  return { ...taken, response: taken.response + answers.join('') }
}

const isTaken = (answer: SmtpAnswer) => answer.kind === 'mail' && answer.code < 300
