/** A bulk job: its message, read when it is created, timed when it is run, masked when it is shown, and its users, read and added once each. */

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type BulkJob, type BulkJobSummary, BulkMessage, BulkUser, MessageSend } from '@postrider/contract'
import { CallerError, invalidRequest } from '../base/errors.ts'
import { isObject, merge } from '../base/json/json.ts'
import { compileLiberalCheck, misspelledField } from '../base/schema/check.ts'
import { maskTokens } from '../base/secret.ts'
import type { BulkUserRow, JobRow, JobSummaryRow, NewBulkUser } from '../database/tables/messages/bulk-jobs.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import { readDelay, readMessage } from '../messages/accept/read-send.ts'
import { inputText } from '../messages/message-row.ts'
import type { OwnInput, SharedInput } from '../messages/send.ts'
import type { RequestTargets } from '../recipients/fan-out-request.ts'
import { readUser } from '../recipients/read-recipients.ts'

/** Either generation, or the second one level down. Its users come later. Throws a 400. */
export function readJob(
  definition: BulkMessage,
  now: number,
): { shared: SharedInput; addressing: Omit<RequestTargets, 'notBefore'> } {
  const message = { ...definition, ...definition.message } as BulkMessage
  const { event, template, content } = message
  if (!event && !template && !content) throw withoutEvent(message)
  const { shared, marks } = readMessage({
    ...message,
    to: {},
    template: template ?? (content ? null : event),
  } as MessageSend)
  // Read now for its faults and its hours; the time that it waits counts from the run.
  const { openingHours } = readDelay(message.delay, now)
  const override = merge(definition.override ?? {}, shared.override)
  const { template: _stated, ...nameless } = shared
  const whole: SharedInput = {
    ...nameless,
    ...(event && { event }),
    ...(template && !content && { template }),
    ...(definition.brand && { brand: definition.brand }),
    ...(Object.keys(override).length > 0 && { override }),
    ...(openingHours && { openingHours }),
  }
  const { locale } = definition
  const locales = isObject(locale) ? (locale as Record<string, Record<string, unknown>>) : undefined
  return {
    shared: whole,
    addressing: {
      targets: [{ kind: 'bulk' }],
      marks,
      ...(message.delay && { delay: message.delay }),
      ...(locales && { locales }),
      definition,
    },
  }
}

/** Begins with the sentence of the public API. */
function withoutEvent(message: BulkMessage): CallerError {
  const isKnown = (name: string) =>
    Object.hasOwn(BulkMessage.properties, name) || Object.hasOwn(MessageSend.properties, name)
  const misspelling = misspelledField(message, isKnown, ['event', 'template', 'content'])
  return invalidRequest(`The 'event' parameter is required.${misspelling}`, {
    code: 'missing_field',
    param: 'message.event',
  })
}

/** The stored targets of a job that is run now. */
export function startedTargets(targets: string, now: number): { targets: string; notBefore: number | null } {
  const addressing = JSON.parse(targets) as RequestTargets
  const { notBefore } = readDelay(addressing.delay, now)
  if (notBefore === undefined) return { targets, notBefore: null }
  return { targets: JSON.stringify({ ...addressing, notBefore }), notBefore }
}

export function jobRecord({ targets, received, enqueued, failures, status }: JobRow): BulkJob {
  const definition = maskTokens((JSON.parse(targets) as RequestTargets).definition ?? {})
  return { definition, received, enqueued, failures, status: status as BulkJob['status'] }
}

export const jobSummary = ({ id, event, status, error, ...counts }: JobSummaryRow): BulkJobSummary => ({
  jobId: id,
  ...(event !== null && { event }),
  ...counts,
  status: status as BulkJobSummary['status'],
  ...(error !== null && { error }),
})

export interface ReadUser {
  /** Place in the call. */
  at: number
  /** As it was sent. */
  user: BulkUser
  ownInput: OwnInput
}

interface RefusedUser {
  at: number
  error: string
  user: Record<string, unknown>
}

const readUserBody = compileLiberalCheck(BulkUser, 'user') as (value: unknown) => BulkUser

/** The users that can be sent to, and why the others cannot. */
export function readUsers(users: readonly Record<string, unknown>[]): { read: ReadUser[]; unfit: RefusedUser[] } {
  const read: ReadUser[] = []
  const unfit: RefusedUser[] = []
  for (const [at, body] of users.entries()) {
    try {
      const user = readUserBody(body)
      read.push({ at, user, ownInput: ownInput(user) })
    } catch (error) {
      if (!(error instanceof CallerError)) throw error
      unfit.push({ at, error: error.message, user: body })
    }
  }
  return { read, unfit }
}

/**
 * The first of several with one id is added, unless the job has it. The others are the same user again, as after an
 * interruption, or another message for that user, which the job cannot send.
 */
export function withoutDuplicates(
  users: readonly ReadUser[],
  inJob: ReadonlyMap<string, unknown>,
): { fresh: ReadUser[]; duplicates: RefusedUser[] } {
  const byRecipient = new Map(inJob)
  const fresh: ReadUser[] = []
  const duplicates: RefusedUser[] = []
  for (const entry of users) {
    const { at, user, ownInput } = entry
    const { recipient } = ownInput
    if (byRecipient.has(recipient)) {
      const isSame = isDeepStrictEqual(byRecipient.get(recipient), user)
      duplicates.push({ at, error: isSame ? 'Duplicate user' : DIFFERING, user: { ...user } })
    } else {
      fresh.push(entry)
      byRecipient.set(recipient, user)
    }
  }
  return { fresh, duplicates }
}

const DIFFERING = 'Duplicate user with other data: a job has one message for each recipient'

export const newBulkUser = (tokens: TokenCipher, workspaceId: number, { user, ownInput }: ReadUser): NewBulkUser => ({
  recipient: ownInput.recipient,
  input: inputText(tokens, workspaceId, ownInput),
  given: JSON.stringify(tokens.encrypt(workspaceId, user)),
})

/** `to` and the flat keys of older clients; a key of the user itself wins over `to`. */
function ownInput(user: BulkUser): OwnInput {
  const { recipient, user_id, email, profile, data, preferences, to } = user
  const id = recipient || user_id || to?.user_id
  const target = to ? readUser({ ...to, user_id: id ?? null }) : undefined
  const contacts = merge(target?.profile ?? {}, { ...(email ? { email } : {}), ...(isObject(profile) ? profile : {}) })
  if (!id && Object.keys(contacts).length === 0) throw unaddressed(user)
  return {
    ...target,
    recipient: id ? String(id) : (target?.recipient ?? `anon_${randomUUID()}`),
    ...(Object.keys(contacts).length > 0 && { profile: contacts }),
    ...(data && { data: { ...target?.data, ...data } }),
    ...(preferences && { preferences }),
  }
}

function unaddressed(user: BulkUser): CallerError {
  const isKnown = (name: string) => Object.hasOwn(BulkUser.properties, name)
  const misspelling = misspelledField(user, isKnown, ['recipient', 'user_id', 'email', 'profile', 'to'])
  return invalidRequest(`The user has neither an id nor an address${misspelling && `.${misspelling}`}`)
}

/** The position up to which the run has made messages of users. */
function expandedTo({ status, progress }: JobRow): number {
  if (status === 'COMPLETED') return Number.POSITIVE_INFINITY
  const { after }: { after?: unknown } = progress ? JSON.parse(progress) : {}
  return typeof after === 'number' ? after : 0
}

/** `messageId`: undefined when the user has no message. */
export function userRecord(
  { position, recipient, given: body }: BulkUserRow,
  messageId: string | undefined,
  job: JobRow,
) {
  const stated = Object.entries(JSON.parse(body) as Record<string, unknown>).filter(([, value]) => value !== null)
  const withoutMessage = position <= expandedTo(job) ? 'ERROR' : job.status === 'CANCELED' ? 'CANCELED' : 'PENDING'
  return {
    ...maskTokens(Object.fromEntries(stated)),
    recipient,
    status: messageId !== undefined ? 'ENQUEUED' : withoutMessage,
    ...(messageId !== undefined && { messageId }),
  } as const
}
