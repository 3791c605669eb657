/** Where the recipients of a request come from: a page of them after the place it has come to. */

import { parseListPattern } from '../base/list-pattern.ts'
import { isObject, type JsonObject } from '../base/merge.ts'
import type { Engine } from '../database/engine.ts'
import { audienceRecipients, findAudience } from '../database/tables/audiences.ts'
import { bulkUsersAfter } from '../database/tables/bulk.ts'
import { listRecipients } from '../database/tables/list-subscriptions.ts'
import { listsMatching } from '../database/tables/lists.ts'
import { membersAmong, tenantRecipients } from '../database/tables/memberships.ts'
import { tenantTree } from '../database/tables/tenants.ts'
import type { Marks, OwnInput } from '../pipeline/message.ts'
import type { Target } from '../pipeline/read-recipients.ts'
import type { Addressing } from './request.ts'

/** A pattern that matches more lists than this names nobody in particular. */
const LISTS_MAX = 10_000

/** Where a target has come to: a recipient, or a position; null at its beginning. */
export type Place = string | number | null

export interface Addressee {
  own: OwnInput
  at: Place
  marks?: Marks
}

export interface SourcePage {
  addressees: Addressee[]
  /** Where the next page begins; undefined when this was the last one. */
  next: Place | undefined
}

export interface Source {
  engine: Engine
  workspaceId: number
  requestId: string
  addressing: Addressing
}

/** At most `limit` recipients of the target after `place`, always in the same order. */
export async function recipientsAfter(
  source: Source,
  target: Target,
  place: Place,
  limit: number,
): Promise<SourcePage> {
  if (target.kind === 'users') return usersAfter(target.users, typeof place === 'number' ? place : 0, limit)
  if (target.kind === 'bulk') return bulkAfter(source, typeof place === 'number' ? place : 0, limit)
  const found = await membersAfter(source, target, typeof place === 'string' ? place : '', limit)
  const page = pageOf(found, limit)
  return { ...page, addressees: await narrowed(source, target, page.addressees) }
}

/** An audience was written, and its members are those of its filter before. */
export async function isBeingCounted({ engine, workspaceId }: Source, target: Target): Promise<boolean> {
  if (target.kind !== 'audience') return false
  const audience = await findAudience(engine, workspaceId, target.audienceId)
  return audience !== undefined && audience.dueAt !== null
}

function usersAfter(users: readonly (OwnInput | null)[], from: number, limit: number): SourcePage {
  const page = users.slice(from, from + limit)
  const addressees = page.flatMap((own, index) => (own ? [{ own, at: from + index + 1 }] : []))
  return { addressees, next: from + limit < users.length ? from + limit : undefined }
}

async function bulkAfter({ engine, requestId, addressing }: Source, from: number, limit: number): Promise<SourcePage> {
  const found = await bulkUsersAfter(engine, requestId, from, limit)
  const addressees = found.map(({ position, input }) => ({
    own: localized(JSON.parse(input) as OwnInput, addressing.locales),
    at: position,
  }))
  return pageOf(addressees, limit)
}

type Membership = Exclude<Target, { kind: 'users' | 'bulk' }>

/** A list, an audience or a tenant is read as it is when its turn comes; by recipient, so that every page goes on where the last one ended. */
async function membersAfter(
  { engine, workspaceId }: Source,
  target: Membership,
  after: string,
  limit: number,
): Promise<Addressee[]> {
  switch (target.kind) {
    case 'list':
    case 'pattern': {
      const lists = await listsOf(engine, workspaceId, target)
      const found = await listRecipients(engine, workspaceId, lists, after, limit)
      return found.map(({ recipient, listId }) => ({ own: { recipient }, at: recipient, marks: { listId } }))
    }
    case 'audience': {
      const found = await audienceRecipients(engine, workspaceId, target.audienceId, after, limit)
      return found.map((recipient) => ({ own: { recipient }, at: recipient }))
    }
    case 'tenant': {
      const { tenantId } = target
      const tenants = target.includeChildren ? await tenantTree(engine, workspaceId, tenantId) : [tenantId]
      const found = await tenantRecipients(engine, workspaceId, tenants, after, limit)
      return found.map((recipient) => ({ own: { recipient, tenantId }, at: recipient }))
    }
  }
}

async function listsOf(engine: Engine, workspaceId: number, target: Membership): Promise<string[]> {
  if (target.kind === 'list') return [target.listId]
  if (target.kind !== 'pattern') return []
  return listsMatching(engine, workspaceId, parseListPattern(target.pattern), LISTS_MAX)
}

/** With the data of the target, and only who belongs to the tenants it asks for. */
async function narrowed(
  { engine, workspaceId }: Source,
  { data, memberOf }: Membership,
  addressees: Addressee[],
): Promise<Addressee[]> {
  const recipients = addressees.map(({ own }) => own.recipient)
  const members = memberOf && (await membersAmong(engine, workspaceId, memberOf, recipients))
  const kept = members ? addressees.filter(({ own }) => members.has(own.recipient)) : addressees
  return data ? kept.map((one) => ({ ...one, own: { ...one.own, data } })) : kept
}

const pageOf = (addressees: Addressee[], limit: number): SourcePage => ({
  addressees,
  next: addressees.length < limit ? undefined : (addressees.at(-1)?.at ?? undefined),
})

/** Data for the recipient's language lie below what the user was given. */
function localized(own: OwnInput, locales: Addressing['locales']): OwnInput {
  const locale = own.profile?.locale
  const data = typeof locale === 'string' && locales && Object.hasOwn(locales, locale) ? locales[locale] : undefined
  return isObject(data) ? { ...own, data: { ...(data as JsonObject), ...own.data } } : own
}
