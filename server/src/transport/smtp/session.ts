/** An SMTP session that sends one mail after another, and knows of each how far it came. */
import type { MailReply } from '../../base/exchange.ts'
import type { BuiltMail } from '../mime/mime.ts'
import type { SmtpWire } from './connection.ts'
import { errorReply, failed, isYes, replied, type SmtpAnswer } from './outcome.ts'
import type { SmtpReply } from './replies.ts'

/** What a server offers, by keyword in capitals, with the values it gave. */
export type Extensions = ReadonlyMap<string, readonly string[]>

export interface SmtpSession {
  /** Mails sent so far. */
  readonly sent: number
  /** True from the moment the server may have begun to receive the current mail. */
  readonly reached: boolean
  readonly isOpen: boolean
  send(mail: BuiltMail): Promise<SmtpAnswer>
  /** At once; a mail in flight gets no answer of the server any more. */
  close(): void
  /** With a word of goodbye. */
  quit(): void
}

export function smtpSession(wire: SmtpWire, offered: Extensions): SmtpSession {
  /** 0: the server names no limit. */
  const sizeMax = Number(offered.get('SIZE')?.[0]) || 0
  let sent = 0
  let reached = false
  let isClean = true

  const lost = () => failed('reset', wire.failure?.message ?? 'No answer', reached)

  const refused = (reply: SmtpReply): SmtpAnswer => {
    // Out of step: the next answer would be taken for another one's.
    if (reply.code < 400) wire.close()
    return errorReply(reply, reached)
  }

  const exchange = async (commands: readonly string[]): Promise<SmtpReply[]> => {
    if (offered.has('PIPELINING')) return wire.exchange(...commands)
    const replies: SmtpReply[] = []
    for (const command of commands) {
      const [reply] = await wire.exchange(command)
      if (!reply) break
      replies.push(reply)
      if (objection(replies, commands)) break
    }
    return replies
  }

  return {
    get sent() {
      return sent
    },
    get reached() {
      return reached
    },
    get isOpen() {
      return wire.failure === undefined
    },
    close: () => wire.close(),
    quit: () => wire.quit(),
    async send(mail) {
      sent += 1
      reached = false
      if (sizeMax > 0 && mail.text.length > sizeMax)
        return failed('too_large', `The mail is larger than the ${sizeMax} bytes that the server takes`)
      if (!isClean) {
        // Recipients of a rejected mail would be added to this one.
        const [reset] = await wire.exchange('RSET')
        if (!reset || !isYes(reset)) {
          wire.close()
          return lost()
        }
      }
      isClean = false
      const commands = envelope(mail, offered.has('SIZE'))
      const replies = await exchange(commands)
      const no = objection(replies, commands)
      if (no) {
        // Asked for the data all the same: an empty mail would go to the copies, so that hanging up is the only way out.
        if (replies[commands.length - 1]?.code === 354) wire.close()
        return refused(no)
      }
      if (replies.length < commands.length || wire.failure) return lost()
      reached = true
      const [taken] = await wire.transmit(mail.text)
      if (!taken) return lost()
      if (!isYes(taken)) return refused(taken)
      isClean = true
      return accepted(mail, taken, replies)
    },
  }
}

/** The sender, then the recipients, the addressee first, then the data. */
function envelope({ envelope: { from, to }, text }: BuiltMail, tellSize: boolean): string[] {
  const size = tellSize ? ` SIZE=${text.length}` : ''
  return [`MAIL FROM:<${from}>${size}`, ...to.map((address) => `RCPT TO:<${address}>`), 'DATA']
}

/** The reply that keeps the mail from being sent. Copies may be rejected: the addressee gets the mail nevertheless. */
function objection(replies: readonly SmtpReply[], commands: readonly string[]): SmtpReply | undefined {
  const [sender, recipient] = replies
  if (sender && !isYes(sender)) return sender
  if (recipient && !isYes(recipient)) return recipient
  const data = replies[commands.length - 1]
  return data && data.code !== 354 ? data : undefined
}

function accepted({ envelope: { to } }: BuiltMail, taken: SmtpReply, replies: readonly SmtpReply[]): MailReply {
  let response = taken.text
  replies.slice(1, -1).forEach((reply, index) => {
    if (!isYes(reply)) response += `; not taken: ${to[index]} (${reply.text})`
  })
  return replied(taken, response)
}
