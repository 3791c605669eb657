/** A mail to its addressee, then copies: those that have an envelope of their own, and those that were refused for now. */
import {
  type CopiesMail,
  type CopyNotTaken,
  MAY_HAVE_IT,
  type MailReply,
  type SmtpServer,
} from '../../base/exchange.ts'
import type { BuiltMail } from '../../base/mime/mime.ts'
import type { Limits } from '../time-limit.ts'
import type { SmtpClient } from './client.ts'
import type { SmtpAnswer } from './session.ts'

type Send = (mail: BuiltMail, limits: Limits) => Promise<SmtpAnswer>

/** The answer about the addressee, and which copies were not taken. Without the addressee no copy is sent. */
export async function mailToAll(
  client: Pick<SmtpClient, 'send'>,
  server: SmtpServer,
  mail: BuiltMail,
  limits: Limits,
): Promise<SmtpAnswer> {
  const send: Send = (each, within) => client.send(server, each, within)
  const end = performance.now() + limits.timeoutMs
  const taken = await send(mail, limits)
  if (!isTaken(taken)) return taken
  const { copiesNotTaken = [], ...answer } = taken
  const { copies = mail } = mail
  const notTaken = copiesNotTaken.filter(({ isTemporary }) => !isTemporary)
  const left = mail.copies ? mail.copies.envelope.to : addressesOf(copiesNotTaken.filter(isForNow))
  if (left.length > 0) {
    const { signal } = limits
    const toCopies = await withCopies(send, copies, left, { signal, end })
    notTaken.push(...toCopies.notTaken)
  }
  if (notTaken.length === 0) return answer
  const deferred = addressesOf(notTaken.filter(isForNow))
  return { ...answer, copiesNotTaken: notTaken, ...(deferred.length > 0 && { deferred: mailFor(deferred, copies) }) }
}

/** The answer where no copy was taken because of the session or the sender; else which of them were not taken. */
export async function mailToCopies(
  client: Pick<SmtpClient, 'send'>,
  server: SmtpServer,
  { from, to, text, needsUtf8 }: CopiesMail,
  { signal, timeoutMs }: Limits,
): Promise<SmtpAnswer> {
  const send: Send = (each, within) => client.send(server, each, within)
  const mail: BuiltMail = { envelope: { from, to: [...to] }, text, needsUtf8 }
  const end = performance.now() + timeoutMs
  const { first, notTaken } = await withCopies(send, mail, to, { signal, end })
  return isTaken(first) ? { ...first, copiesNotTaken: notTaken } : first
}

/** The lease of the message is lost, or the process stops: the mail is sent again, with its copies. */
const aborted: SmtpAnswer = { kind: 'failure', failure: 'aborted', message: 'Aborted', reached: false }

/**
 * The first answer, and the copies that were not taken. Recipients that a server refuses for now, as there are too many,
 * have another transaction (RFC 5321 §4.5.3.1.10) as long as it takes some of them.
 */
async function withCopies(
  send: Send,
  mail: BuiltMail,
  addresses: readonly string[],
  { signal, end }: { signal: AbortSignal; end: number },
): Promise<{ first: SmtpAnswer; notTaken: CopyNotTaken[] }> {
  const refused: CopyNotTaken[] = []
  let left = addresses
  let first: SmtpAnswer | undefined
  for (;;) {
    const envelope = { from: mail.envelope.from, to: [...left] }
    const limits = { signal, timeoutMs: Math.max(1, Math.round(end - performance.now())) }
    const answer = signal.aborted ? aborted : await send({ ...mail, envelope, toAny: true }, limits)
    first ??= answer
    const notTaken = notTakenBy(answer, left)
    refused.push(...notTaken.filter((copy) => !isForNow(copy)))
    const later = notTaken.filter(isForNow)
    if (later.length === 0 || !isTaken(answer)) return { first, notTaken: [...refused, ...later] }
    left = addressesOf(later)
  }
}

const isTaken = (answer: SmtpAnswer): answer is MailReply => answer.kind === 'mail' && answer.code < 300

const isForNow = ({ isTemporary }: CopyNotTaken) => isTemporary

const addressesOf = (copies: readonly CopyNotTaken[]) => copies.map(({ address }) => address)

const mailFor = (to: readonly string[], { envelope: { from }, text, needsUtf8 }: BuiltMail): CopiesMail => ({
  ...{ from, to, text, needsUtf8 },
})

function notTakenBy(answer: SmtpAnswer, addresses: readonly string[]): readonly CopyNotTaken[] {
  if (answer.kind === 'mail' && (answer.copiesNotTaken || answer.code < 300)) return answer.copiesNotTaken ?? []
  if (answer.kind === 'failure') {
    const error = `${answer.reached ? MAY_HAVE_IT : ''}${answer.failure}: ${answer.message}`
    return addresses.map((address) => ({ address, error, isTemporary: !answer.reached }))
  }
  const { code, refused, response: error } = answer
  // The addressee's mail has left by this session: a repair of the integration helps.
  const isTemporary = code < 500 || refused === undefined || refused === 'sender'
  return addresses.map((address) => ({ address, error, isTemporary }))
}
