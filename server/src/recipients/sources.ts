/** Reads the recipients of a target from lists, audiences, tenants and bulk jobs, one page after a cursor. */

import { isObject, type JsonObject } from '../base/json/json.ts'
import { type ListPattern, parseListPattern } from '../base/list-pattern.ts'
import type { Reader } from '../database/engine.ts'
import { audienceRecipients, findAudience } from '../database/tables/audiences/audiences.ts'
import { listRecipients, listsMatching } from '../database/tables/lists/lists.ts'
import { bulkInputsAfter } from '../database/tables/messages/bulk-jobs.ts'
import { membersAmong, tenantRecipients } from '../database/tables/tenants/memberships.ts'
import { tenantTree } from '../database/tables/tenants/tenants.ts'
import type { Marks, OwnInput } from '../messages/send.ts'
import type { Target } from './read-recipients.ts'

/** Lists or tenants that one page reads: it may read as many rows from each as it returns. */
const GROUP_MAX = 50
/** The size of the bulk users in one page, unless a single one is larger. */
const BYTES_MAX = 4 * 1_048_576

/** The cursor in a target: a recipient, or a position; null at the start. */
export type Place = string | number | null

export interface ExpandedRecipient {
  ownInput: OwnInput
  at: Place
  marks?: Marks
}

export interface SourcePage {
  recipients: ExpandedRecipient[]
  /** The cursor of the next page; undefined after the last one. */
  next: Place | undefined
}

export interface Source {
  engine: Reader
  workspaceId: number
  requestId: string
  /** For a bulk job: data by locale. */
  locales?: Locales | undefined
  /** Replaces the stored lists in a simulation. */
  lists?: Lists
}

type Locales = Readonly<Record<string, Record<string, unknown>>>

export interface Lists {
  /** Ids from `from` on, in order. */
  matching(pattern: ListPattern, from: string, limit: number): Promise<readonly string[]>
  /** Recipients of any of the lists, each once, in order; without a `listId` where no list preferences apply. */
  recipients(
    ids: readonly string[],
    after: string,
    limit: number,
  ): Promise<readonly { recipient: string; listId?: string }[]>
}

export function storedLists(engine: Reader, workspaceId: number): Lists {
  return {
    matching: (pattern, from, limit) => listsMatching(engine, workspaceId, pattern, from, limit),
    recipients: (ids, after, limit) => listRecipients(engine, workspaceId, ids, after, limit),
  }
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
  const page = await membersAfter(source, target, typeof place === 'string' ? place : null, limit)
  return { ...page, recipients: await narrowed(source, target, page.recipients) }
}

/** An audience was written, and its members are those of its filter before. */
export async function isRecomputing({ engine, workspaceId }: Source, target: Target): Promise<boolean> {
  if (target.kind !== 'audience') return false
  const audience = await findAudience(engine, workspaceId, target.audienceId)
  return audience !== undefined && audience.dueAt !== null
}

function usersAfter(users: readonly (OwnInput | null)[], from: number, limit: number): SourcePage {
  const page = users.slice(from, from + limit)
  const recipients = page.flatMap((ownInput, index) => (ownInput ? [{ ownInput, at: from + index + 1 }] : []))
  return { recipients, next: from + limit < users.length ? from + limit : undefined }
}

async function bulkAfter(source: Source, from: number, limit: number): Promise<SourcePage> {
  const { engine, workspaceId, requestId: id, locales } = source
  const { rows, more } = await bulkInputsAfter(engine, { workspaceId, id }, from, limit, BYTES_MAX)
  const recipients = rows.map(({ position, input }) => ({
    ownInput: localized(JSON.parse(input) as OwnInput, locales),
    at: position,
  }))
  return { recipients, next: more ? (recipients.at(-1)?.at ?? undefined) : undefined }
}

type Membership = Exclude<Target, { kind: 'users' | 'bulk' }>

/** Read as it is when its turn comes; by recipient, so that every page goes on where the last one ended. */
async function membersAfter(
  { engine, workspaceId, lists = storedLists(engine, workspaceId) }: Source,
  target: Membership,
  place: string | null,
  limit: number,
): Promise<SourcePage> {
  switch (target.kind) {
    case 'audience': {
      const ids = await audienceRecipients(engine, workspaceId, target.audienceId, place ?? '', limit)
      const recipients = ids.map((recipient) => ({ ownInput: { recipient }, at: recipient }))
      return { recipients, next: ids.length < limit ? undefined : ids.at(-1) }
    }
    case 'list':
      return groupAfter([target.listId], place, limit, readLists)
    case 'pattern': {
      const { pattern } = target
      const from = placeIn(place).group
      const matching = await lists.matching(parseListPattern(pattern), from, GROUP_MAX + 1)
      return groupAfter(matching, place, limit, readLists)
    }
    case 'tenant': {
      const { tenantId, includeChildren } = target
      const tree = includeChildren ? await tenantTree(engine, workspaceId, tenantId) : [tenantId]
      const from = placeIn(place).group
      return groupAfter(
        tree.sort().filter((id) => id >= from),
        place,
        limit,
        async (tenants, after) => {
          const ids = await tenantRecipients(engine, workspaceId, tenants, after, limit)
          return ids.map((recipient) => ({ ownInput: { recipient, tenantId }, at: recipient }))
        },
      )
    }
  }

  async function readLists(ids: readonly string[], after: string): Promise<ExpandedRecipient[]> {
    const rows = await lists.recipients(ids, after, limit)
    return rows.map(({ recipient, listId }) => ({
      ownInput: { recipient },
      at: recipient,
      ...(listId !== undefined && { marks: { listId } }),
    }))
  }
}

/** Reads lists or tenants in groups: `ids`, in order, start at the group of the cursor. A short page ends its group. */
async function groupAfter(
  ids: readonly string[],
  place: string | null,
  limit: number,
  read: (ids: readonly string[], after: string) => Promise<ExpandedRecipient[]>,
): Promise<SourcePage> {
  const group = ids.slice(0, GROUP_MAX)
  const recipients = await read(group, placeIn(place).after)
  const last = recipients.at(-1)
  if (last && recipients.length >= limit)
    return { recipients, next: JSON.stringify({ group: group[0], after: last.ownInput.recipient }) }
  const following = ids[GROUP_MAX]
  return { recipients, next: following === undefined ? undefined : JSON.stringify({ group: following, after: '' }) }
}

const placeIn = (place: string | null): { group: string; after: string } =>
  place === null ? { group: '', after: '' } : JSON.parse(place)

/** Only recipients that belong to the tenants of the target's filters. */
async function narrowed(
  { engine, workspaceId }: Source,
  { memberOf }: Membership,
  recipients: ExpandedRecipient[],
): Promise<ExpandedRecipient[]> {
  const ids = recipients.map(({ ownInput }) => ownInput.recipient)
  const members = memberOf && (await membersAmong(engine, workspaceId, memberOf, ids))
  return members ? recipients.filter(({ ownInput }) => members.has(ownInput.recipient)) : recipients
}

/** Merges the data for the recipient's locale below the recipient's own data. */
export function localized(ownInput: OwnInput, locales: Locales | undefined): OwnInput {
  const locale = ownInput.profile?.locale
  const data = typeof locale === 'string' && locales && Object.hasOwn(locales, locale) ? locales[locale] : undefined
  return isObject(data) ? { ...ownInput, data: { ...(data as JsonObject), ...ownInput.data } } : ownInput
}
