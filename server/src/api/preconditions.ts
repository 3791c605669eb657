/** Conditions of a write by its headers: `If-None-Match: *` only creates, `If-Match` replaces only what was read. */
import { type Operation, preconditionHeaders } from '@postrider/contract'
import { conflict, invalidField } from '../base/errors.ts'
import { quoted } from '../base/quote.ts'

export interface Preconditions {
  /** Nothing may have the id. */
  mustBeAbsent: boolean
  /** The entity tag that the stored version must have; undefined: any. */
  entityTag: string | undefined
}

const NONE: Preconditions = { mustBeAbsent: false, entityTag: undefined }

/** A proxy that compresses a reply makes its tag a weak one; the version is the same. */
const ENTITY_TAG = /^(?:W\/)?("[^"]*")$/

const absentHeader = preconditionHeaders.absent.name
const unchangedHeader = preconditionHeaders.unchanged.name

/** Throws a 400 for a header that cannot be read: a condition that is not checked would be no condition. */
export function preconditionsOf(
  { preconditions }: Operation,
  header: (name: string) => string | undefined,
): Preconditions {
  if (!preconditions) return NONE
  const absent = preconditions.includes('absent') ? header(absentHeader.toLowerCase())?.trim() : undefined
  if (absent !== undefined && absent !== '*') throw invalidField(absentHeader, 'must be `*`')
  const condition = preconditions.includes('unchanged') ? header(unchangedHeader.toLowerCase())?.trim() : undefined
  const [, entityTag] = ENTITY_TAG.exec(condition ?? '') ?? []
  if (condition !== undefined && entityTag === undefined)
    throw invalidField(unchangedHeader, 'must be one entity tag in quotes, such as `"3"`')
  return { mustBeAbsent: absent === '*', entityTag }
}

/** The header of a reply that shows a version. */
export const entityTagOf = (version: number): { etag: string } => ({ etag: `"${version}"` })

/** Throws a 409 where the stored version is another one than the call expects; undefined: there is none. */
export function checkPreconditions(
  { mustBeAbsent, entityTag }: Preconditions,
  what: string,
  version: number | undefined,
): void {
  if (mustBeAbsent && version !== undefined) throw existsAlready(what)
  if (entityTag !== undefined && (version === undefined || entityTagOf(version).etag !== entityTag))
    throw conflict('changed_since', `${what} has been changed since it was read`, unchangedHeader)
}

/** For writes that check the condition in the database. */
export const existsAlready = (what: string) => conflict('already_exists', `${what} exists already`, absentHeader)

/** `The list \`news\``. */
export const resourceNamed = (kind: string, id: string): string => `The ${kind} ${quoted(id)}`
