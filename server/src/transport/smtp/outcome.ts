/** The outcome of a mail or of a session: the reply of the server, or how the connection failed. */
import type { Failure, FailureKind, MailReply } from '../../base/exchange.ts'
import type { SmtpReply } from './replies.ts'

export type SmtpAnswer = MailReply | Failure

const RESPONSE_MAX = 1_000

export const isYes = ({ code }: SmtpReply) => code >= 200 && code < 300

export const replied = ({ code }: SmtpReply, response: string): MailReply => ({
  kind: 'mail',
  code,
  response: response.slice(0, RESPONSE_MAX),
})

export const failed = (failure: FailureKind, message: string, reached = false): Failure => ({
  kind: 'failure',
  failure,
  message: message.slice(0, RESPONSE_MAX),
  reached,
})

/** An unexpected reply: an error of the server, or one out of step, which says nothing about the mail. */
export function errorReply(reply: SmtpReply, reached = false): SmtpAnswer {
  if (reply.code >= 400) return replied(reply, reply.text)
  return failed('reset', `Unexpected answer: ${reply.text}`, reached)
}
