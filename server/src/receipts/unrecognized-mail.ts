/** Mails to a bounce address that may be bounces in a format that is not read yet: kept, so that it can be added. */
import { timedId } from '../base/ids.ts'
import { anyOf, says } from '../base/phrases.ts'
import type { UnrecognizedBounce } from '../database/tables/messages/unrecognized-bounces.ts'
import { type BounceToken, withoutBounceTokens } from './bounce-address.ts'
import type { MailReport } from './mail-report.ts'
import { SUBJECTS } from './notice-phrases.ts'
import type { ParsedMail } from './parsed-mail.ts'

/** A mail that came to a bounce address of this delivery, and was not understood. */
export interface UnrecognizedMail {
  workspaceId: number
  deliveryId: string
  /** Undefined where it is not known. */
  envelopeSender: string | undefined
  /** Its beginning, as Latin-1. A bounce address in plain text is without its token. */
  text: string
}

/** Enough for every notice without the mail that it returns. */
const KEPT_BYTES_MAX = 16_384
/** RFC 5321 §4.5.3.1. */
const ADDRESS_MAX = 320

/** Undefined for what is understood, and for what is no bounce. */
export function unrecognizedMail(
  { reason, from }: Extract<MailReport, { kind: 'none' }>,
  tokens: readonly BounceToken[],
  mail: ParsedMail,
  raw: Buffer,
  envelopeSender: string | undefined,
): UnrecognizedMail | undefined {
  const token = tokens.find(({ ofCopies }) => !ofCopies)
  if (reason !== 'no_report' || !token || token.isAddressee(from)) return undefined
  if (isAnswer(mail) || isOfList(mail) || isSummary(mail)) return undefined
  const { workspaceId, deliveryId } = token
  const sender = envelopeSender === undefined ? undefined : storable(envelopeSender).slice(0, ADDRESS_MAX)
  const text = storable(raw.toString('latin1', 0, KEPT_BYTES_MAX))
  return { workspaceId, deliveryId, envelopeSender: sender, text }
}

/** PostgreSQL stores no NUL. */
const storable = (text: string): string => withoutBounceTokens(text).replaceAll('\0', '')

/** A person wrote it, or a program for one: the headers of those that say so have been read. */
const isAnswer = ({ subject }: ParsedMail): boolean =>
  SUBJECTS.reply.test(subject) || says(SUBJECTS.autoReply, subject.trim())

const LIST_HEADERS = ['list-id', 'x-mailman-version', 'x-beenthere', 'x-list-administrivia'] as const
const LIST_SUBJECT = anyOf`
  (?:require|await|pending|needs?)\w* .{0,30}approval  moderator  moderation
  ^confirm [0-9a-f]{16}  ^majordomo results
`

/** The software of a mailing list wrote it: a mail waits for a moderator, or for a subscription. */
const isOfList = ({ headers, subject }: ParsedMail): boolean =>
  LIST_HEADERS.some((name) => headers(name).length > 0) || says(LIST_SUBJECT, subject.trim())

/** It is about the mails of a day: a report of DMARC (RFC 7489 §7.2.1.1) or of TLS (RFC 8460 §5.3). */
const isSummary = ({ headers, has, subject }: ParsedMail): boolean =>
  /\breport[ -]domain:/i.test(subject) ||
  headers('tls-report-domain').length > 0 ||
  headers('content-type').some((value) => /report-type="?tlsrpt/i.test(value)) ||
  has('application/tlsrpt+gzip', 'application/tlsrpt+json')

/** As a row. */
export const newUnrecognizedBounce = (
  { workspaceId, deliveryId, envelopeSender, text }: UnrecognizedMail,
  now: number,
): UnrecognizedBounce => ({
  id: timedId(now),
  workspace_id: workspaceId,
  message_id: deliveryId.slice(0, deliveryId.lastIndexOf('-')),
  created: now,
  envelope_sender: envelopeSender ?? null,
  mail: text,
})
