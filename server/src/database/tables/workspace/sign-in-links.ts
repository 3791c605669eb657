/** Links that sign a browser in with a key, once: only the hash of their token is stored. */
import { DAY } from '../../../base/time/duration.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { countAffected, expectRows, firstRow, query, type RowOf, statement } from '../../query.ts'

export type SignInLinkRow = RowOf<typeof linkWith>

/** How long a link stays after its end, to say why it does not work. */
const STAYS_MS = DAY

export interface NewSignInLink {
  hash: string
  /** The one of the key. */
  workspaceId: number
  keyId: string
  expires: number
}

export const signInLinkInsert = ({ hash, workspaceId, keyId, expires }: NewSignInLink): Statement =>
  statement(query.insertInto('sign_in_links').values({ hash, workspace_id: workspaceId, key_id: keyId, expires }))

const linkWith = (hash: string) =>
  query
    .selectFrom('sign_in_links')
    .select(['workspace_id as workspaceId', 'key_id as keyId', 'expires', 'used'])
    .where('hash', '=', hash)

/** Also one that was used or has ended. */
export const findSignInLink = (engine: Reader, hash: string): Promise<SignInLinkRow | undefined> =>
  firstRow(engine, linkWith(hash))

/** Must affect a row: of two uses at once, one signs in. */
export const signInLinkUse = (hash: string, now: number): Statement =>
  expectRows(
    statement(
      query
        .updateTable('sign_in_links')
        .set({ used: now })
        .where('hash', '=', hash)
        .where('used', 'is', null)
        .where('expires', '>', now),
    ),
  )

/** Deletes a bounded slice of those that ended a day ago; returns their number. */
export function dropSignInLinks(engine: Engine, now: number, limit: number): Promise<number> {
  const ended = query
    .selectFrom('sign_in_links')
    .select('hash')
    .where('expires', '<=', now - STAYS_MS)
    .orderBy('expires')
    .limit(limit)
  return countAffected(engine, query.deleteFrom('sign_in_links').where('hash', 'in', ended))
}
