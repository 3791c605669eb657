/** The users of a bulk job: read and added once each, and shown with what their run has come to. */
import { randomUUID } from 'node:crypto'
import { BulkUser } from '@postrider/contract'
import { CallerError, invalidRequest } from '../base/errors.ts'
import { isObject, merge } from '../base/json/json.ts'
import { compileLiberalCheck } from '../base/schema/check.ts'
import { maskTokens } from '../base/secret.ts'
import type { BulkUserRow, JobRow, NewBulkUser } from '../database/tables/messages/bulk-jobs.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import { inputText } from '../messages/message-row.ts'
import type { OwnInput } from '../messages/send.ts'
import { readUser } from '../recipients/read-recipients.ts'

interface ReadUser {
  /** As it was sent. */
  user: BulkUser
  own: OwnInput
}

interface RefusedUser {
  error: string
  user: Record<string, unknown>
}

const readUserBody = compileLiberalCheck(BulkUser, 'user') as (value: unknown) => BulkUser

/** The users that can be sent to, and why the others cannot. */
export function readUsers(users: readonly Record<string, unknown>[]): { read: ReadUser[]; unfit: RefusedUser[] } {
  const read: ReadUser[] = []
  const unfit: RefusedUser[] = []
  for (const body of users) {
    try {
      const user = readUserBody(body)
      read.push({ user, own: ownInput(user) })
    } catch (error) {
      if (!(error instanceof CallerError)) throw error
      unfit.push({ error: error.message, user: body })
    }
  }
  return { read, unfit }
}

/** The first of several with one id is added, unless the job has it. */
export function withoutDuplicates(
  users: readonly ReadUser[],
  inJob: ReadonlySet<string>,
): { fresh: ReadUser[]; duplicates: RefusedUser[] } {
  const seen = new Set(inJob)
  const fresh: ReadUser[] = []
  const duplicates: RefusedUser[] = []
  for (const entry of users) {
    const { recipient } = entry.own
    if (seen.has(recipient)) duplicates.push({ error: 'Duplicate user', user: { ...entry.user } })
    else fresh.push(entry)
    seen.add(recipient)
  }
  return { fresh, duplicates }
}

export const newBulkUser = (tokens: TokenCipher, workspaceId: number, { user, own }: ReadUser): NewBulkUser => ({
  recipient: own.recipient,
  input: inputText(tokens, workspaceId, own),
  given: JSON.stringify(tokens.encrypt(workspaceId, user)),
})

/** `to` and the flat keys of older clients; a key of the user itself wins over `to`. */
function ownInput({ recipient, user_id, email, profile, data, preferences, to }: BulkUser): OwnInput {
  const id = recipient || user_id || to?.user_id
  const own = to ? readUser({ ...to, user_id: id ?? null }) : undefined
  const contacts = merge(own?.profile ?? {}, { ...(email ? { email } : {}), ...(isObject(profile) ? profile : {}) })
  if (!id && Object.keys(contacts).length === 0) throw invalidRequest('The user has neither an id nor an address')
  return {
    ...own,
    recipient: id ? String(id) : (own?.recipient ?? `anon_${randomUUID()}`),
    ...(Object.keys(contacts).length > 0 && { profile: contacts }),
    ...(data && { data: { ...own?.data, ...data } }),
    ...(preferences && { preferences }),
  }
}

/** The position up to which the run has made messages of users. */
export function expandedTo({ status, progress }: JobRow): number {
  if (status === 'COMPLETED') return Number.POSITIVE_INFINITY
  const { after }: { after?: unknown } = progress ? JSON.parse(progress) : {}
  return typeof after === 'number' ? after : 0
}

/** `messageId`: undefined when the user has no message. `done`: the position of `expandedTo`. */
export function userRecord({ position, recipient, given }: BulkUserRow, messageId: string | undefined, done: number) {
  const stated = Object.entries(JSON.parse(given) as Record<string, unknown>).filter(([, value]) => value !== null)
  const status = messageId !== undefined ? 'ENQUEUED' : position <= done ? 'ERROR' : 'PENDING'
  return {
    ...maskTokens(Object.fromEntries(stated)),
    recipient,
    status,
    ...(messageId !== undefined && { messageId }),
  } as const
}
