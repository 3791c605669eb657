/** Where the recipients of a request come from: a page of them after the place it has come to. */
import { isObject, type JsonObject } from '../base/merge.ts'
import type { Engine } from '../database/engine.ts'
import { bulkUsersAfter } from '../database/tables/bulk.ts'
import type { Marks, OwnInput } from '../pipeline/message.ts'
import type { Target } from '../pipeline/read-recipients.ts'
import type { Audience } from './request.ts'

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
  audience: Audience
}

/** At most `limit` recipients of the target after `place`, always in the same order. */
export async function recipientsAfter(
  { engine, requestId, audience }: Source,
  target: Target,
  place: Place,
  limit: number,
): Promise<SourcePage> {
  switch (target.kind) {
    case 'users': {
      const from = typeof place === 'number' ? place : 0
      const users = target.users.slice(from, from + limit)
      const addressees = users.map((own, index) => ({ own, at: from + index + 1 }))
      return { addressees, next: from + limit < target.users.length ? from + limit : undefined }
    }
    case 'bulk': {
      const found = await bulkUsersAfter(engine, requestId, typeof place === 'number' ? place : 0, limit)
      const addressees = found.map(({ position, input }) => ({
        own: localized(JSON.parse(input) as OwnInput, audience.locales),
        at: position,
      }))
      return pageOf(addressees, limit)
    }
    default:
      throw new Error(`A target of the kind ${target.kind} cannot be expanded`)
  }
}

const pageOf = (addressees: Addressee[], limit: number): SourcePage => ({
  addressees,
  next: addressees.length < limit ? undefined : (addressees.at(-1)?.at ?? undefined),
})

/** Data for the recipient's language lie below what the user was given. */
function localized(own: OwnInput, locales: Audience['locales']): OwnInput {
  const locale = own.profile?.locale
  const data = typeof locale === 'string' && locales && Object.hasOwn(locales, locale) ? locales[locale] : undefined
  return isObject(data) ? { ...own, data: { ...(data as JsonObject), ...own.data } } : own
}
