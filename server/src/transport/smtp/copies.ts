/** A mail to its addressee, then copies: those that have an envelope of their own, and those that were refused for now. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CopyNotTaken, MailReply, SmtpServer } from '../../base/exchange.ts'
import type { BuiltMail } from '../../base/mime/mime.ts'
import { SECOND } from '../../base/time/duration.ts'
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
  const { copies = { ...mail, toAny: true } } = mail
  const refused = copiesNotTaken.filter(({ isTemporary }) => !isTemporary)
  const left = mail.copies ? mail.copies.envelope.to : addressesOf(copiesNotTaken.filter(isForNow))
  if (left.length > 0) refused.push(...(await withCopies(send, copies, left, { signal: limits.signal, end })))
  return refused.length === 0 ? answer : { ...answer, copiesNotTaken: refused }
}

/** The lease of the message is lost, or the process stops: the mail is sent again, with its copies. */
const aborted: SmtpAnswer = { kind: 'failure', failure: 'aborted', message: 'Aborted', reached: false }

/** The addressee has the mail: only the copies can be tried again, and only at once. */
const PAUSES_MS = [SECOND, 3 * SECOND]

/**
 * Those that were not taken. Recipients that a server refuses for now, as there are too many, have another transaction
 * (RFC 5321 §4.5.3.1.10); where it takes none of them, after a pause.
 */
async function withCopies(
  send: Send,
  mail: BuiltMail,
  addresses: readonly string[],
  { signal, end }: { signal: AbortSignal; end: number },
): Promise<CopyNotTaken[]> {
  const refused: CopyNotTaken[] = []
  let left = addresses
  for (let pauses = 0; ; ) {
    const envelope = { from: mail.envelope.from, to: [...left] }
    const limits = { signal, timeoutMs: Math.max(1, end - performance.now()) }
    const answer = signal.aborted ? aborted : await send({ ...mail, envelope }, limits)
    const notTaken = notTakenBy(answer, left)
    refused.push(...notTaken.filter((copy) => !isForNow(copy)))
    const later = notTaken.filter(isForNow)
    if (later.length === 0) return refused
    left = addressesOf(later)
    if (isTaken(answer)) continue
    const wait = PAUSES_MS[pauses]
    if (wait === undefined || signal.aborted || performance.now() + wait >= end) return [...refused, ...later]
    pauses += 1
    await pause(wait, undefined, { signal }).catch(() => undefined)
  }
}

const isTaken = (answer: SmtpAnswer): answer is MailReply => answer.kind === 'mail' && answer.code < 300

const isForNow = ({ isTemporary }: CopyNotTaken) => isTemporary

const addressesOf = (copies: readonly CopyNotTaken[]) => copies.map(({ address }) => address)

function notTakenBy(answer: SmtpAnswer, addresses: readonly string[]): readonly CopyNotTaken[] {
  if (answer.kind === 'mail' && answer.code < 300) return answer.copiesNotTaken ?? []
  const isTemporary = answer.kind === 'mail' ? answer.code < 500 : !answer.reached
  const error = answer.kind === 'mail' ? answer.response : answer.message
  return addresses.map((address) => ({ address, error, isTemporary }))
}
