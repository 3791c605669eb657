/** Sign-in links: an address of the dashboard whose part after `#` signs a browser in, once and soon. */
import { randomBytes } from 'node:crypto'
import { type SignInLink, signInLinkMs } from '@postrider/contract'
import { CallerError } from '../base/errors.ts'
import { hashKey } from '../base/secret.ts'
import type { Reader, Statement } from '../database/engine.ts'
import { findKeyById, isExpired, type KeyRow } from '../database/tables/workspace/api-keys.ts'
import { findSignInLink, signInLinkInsert, signInLinkUse } from '../database/tables/workspace/sign-in-links.ts'

/** 128 random bits: for ten minutes that is plenty, and the address fits into a line. */
const TOKEN_BYTES = 16
/** Browsers keep what follows to themselves: it reaches no log of a proxy and no `Referer`. */
const MARK = '#link='

/** The link works once `insert` is committed. */
export function newSignInLink(
  key: Pick<KeyRow, 'id' | 'workspaceId'>,
  publicUrl: string,
  now: number,
): { link: SignInLink; insert: Statement } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const expires = now + signInLinkMs
  return {
    link: { url: `${publicUrl}/app/${MARK}${token}`, expires },
    insert: signInLinkInsert({ hash: hashKey(token), workspaceId: key.workspaceId, keyId: key.id, expires }),
  }
}

/** The key of the link, and the write that uses the link up. `link` may be the whole address. Throws a 401. */
export async function openSignInLink(
  database: Reader,
  link: string,
  now: number,
): Promise<{ key: KeyRow; use: Statement }> {
  const hash = hashKey(link.split(MARK).at(-1)?.trim() ?? '')
  const row = await findSignInLink(database, hash)
  if (!row) throw signInLinkUnusable('This server has no such sign-in link')
  if (row.used !== null) throw signInLinkUsed()
  if (row.expires <= now) throw signInLinkUnusable('This sign-in link is older than ten minutes')
  const key = await findKeyById(database, row.workspaceId, row.keyId)
  if (!key) throw signInLinkUnusable('The key of this sign-in link was revoked')
  if (isExpired(key, now)) throw signInLinkUnusable('The key of this sign-in link has expired')
  return { key, use: signInLinkUse(hash, now) }
}

export const signInLinkUsed = () => signInLinkUnusable('This sign-in link was used before: each works once')

const signInLinkUnusable = (message: string) =>
  new CallerError('sign_in_link_unusable', `${message}. Make another: postrider open`)
