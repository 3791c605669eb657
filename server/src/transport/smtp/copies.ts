/** A mail to its addressee, then the copies that have an envelope of their own. */
import { setTimeout as pause } from 'node:timers/promises'
import type { MailReply, SmtpServer } from '../../base/exchange.ts'
import type { BuiltMail } from '../../base/mime/mime.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { Limits } from '../time-limit.ts'
import type { SmtpClient } from './client.ts'
import { NOT_TAKEN, notTaken, type SmtpAnswer } from './session.ts'

type Send = (mail: BuiltMail, limits: Limits) => Promise<SmtpAnswer>

/** The answer about the addressee, and which copies were not taken. Without the addressee no copy is sent. */
export function mailToAll(
  client: Pick<SmtpClient, 'send'>,
  server: SmtpServer,
  mail: BuiltMail,
  limits: Limits,
): Promise<SmtpAnswer> {
  const { copies } = mail
  const send: Send = (each, within) => client.send(server, each, within)
  if (!copies) return send(mail, limits)
  const end = performance.now() + limits.timeoutMs
  return send(mail, limits).then((taken) =>
    isTaken(taken) ? withCopies(send, copies, { signal: limits.signal, end }, taken) : taken,
  )
}

/** The lease of the message is lost, or the process stops: the mail is sent again, with its copies. */
const aborted: SmtpAnswer = { kind: 'failure', failure: 'aborted', message: 'Aborted', reached: false }

/** The addressee has the mail: only the copies can be tried again, and only at once. */
const PAUSES_MS = [SECOND, 3 * SECOND]

async function withCopies(
  send: Send,
  mail: BuiltMail,
  { signal, end }: { signal: AbortSignal; end: number },
  taken: MailReply,
): Promise<SmtpAnswer> {
  for (let tries = 0; ; tries += 1) {
    const limits = { signal, timeoutMs: Math.max(1, end - performance.now()) }
    const answer = signal.aborted ? aborted : await send(mail, limits)
    if (isTaken(answer)) return { ...taken, response: taken.response + refusedIn(answer) }
    const wait = PAUSES_MS[tries]
    const isLast = wait === undefined || signal.aborted || performance.now() + wait >= end
    if (isLast || !isTemporary(answer))
      return { ...taken, response: taken.response + notTaken(mail.envelope.to.join(', '), answer) }
    await pause(wait, undefined, { signal }).catch(() => undefined)
  }
}

const isTaken = (answer: SmtpAnswer): answer is MailReply => answer.kind === 'mail' && answer.code < 300

/** No recipient can have it yet. */
const isTemporary = (answer: SmtpAnswer) => (answer.kind === 'mail' ? answer.code < 500 : !answer.reached)

function refusedIn({ response }: MailReply): string {
  const at = response.indexOf(NOT_TAKEN)
  return at < 0 ? '' : response.slice(at)
}
