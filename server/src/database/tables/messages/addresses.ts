/** Messages by the address of a person: keyed digests in the row, and the users who have the address. */
import { domainToASCII, domainToUnicode } from 'node:url'
import { type RawBuilder, sql } from 'kysely'
import { invalidField } from '../../../base/errors.ts'
import type { Reader } from '../../engine.ts'
import type { TokenCipher } from '../../token-cipher.ts'
import type { AddressKey } from '../suppressions/suppressions.ts'
import { usersWith } from '../users/users.ts'

export type { AddressKey }

/**
 * Each once, without tokens of devices, which are found by their user. They stay when the person is erased: without the
 * secret key no address can be read from them. Among ten million addresses, one look-up in 30 million finds another one.
 */
export function addressDigests(
  tokens: Pick<TokenCipher, 'addressDigest'>,
  workspaceId: number,
  addresses: readonly AddressKey[],
): number[] {
  const digests: number[] = []
  for (const { kind, address } of addresses) {
    if (kind === 'device_token') continue
    const digest = tokens.addressDigest(workspaceId, `${kind} ${address}`)
    if (!digests.includes(digest)) digests.push(digest)
  }
  return digests
}

/** A searched text, and each normal form that it can be meant in. */
export interface SearchedAddress {
  text: string
  forms: readonly AddressKey[]
}

export interface AddressMatch {
  digests: readonly number[]
  /** Recipients whose profile has one of the addresses now, or whose id it is. */
  users: readonly string[]
}

/** Beyond it, an address is not that of a person, and a page would have to look into too many places. */
const USERS_MAX = 1_000

/** Throws a 400 where too many users have the address. */
export async function addressMatch(
  engine: Reader,
  workspaceId: number,
  { text, forms }: SearchedAddress,
): Promise<AddressMatch> {
  const addresses = [...forms, ...forms.flatMap(otherForms)]
  const users = await usersWith(engine, workspaceId, addresses, USERS_MAX + 1)
  if (users.length > USERS_MAX)
    throw invalidField('address', `belongs to more than ${USERS_MAX} users: name one of them with \`recipient\``)
  const ids = [text, ...forms.flatMap(({ kind, address }) => (kind === 'email' ? [address] : []))]
  return { digests: addressDigests(engine.tokens, workspaceId, forms), users: [...new Set([...users, ...ids])] }
}

/** A profile may have the domain in either form. */
function otherForms({ kind, address }: AddressKey): AddressKey[] {
  if (kind !== 'email') return []
  const at = address.lastIndexOf('@') + 1
  const domain = address.slice(at)
  return [domainToASCII(domain), domainToUnicode(domain)]
    .filter((form) => form !== '' && form !== domain)
    .map((form) => ({ kind, address: address.slice(0, at) + form }))
}

/** The places with an index: an email address, a telephone number, a chat. Hardly a message has more addresses. */
const places = [1, 2, 3].map((place) => sql<number>`addresses[${sql.lit(place)}]`)

/** One condition, for statements that read all messages. */
export const matchesAddress = ({ digests, users }: AddressMatch): RawBuilder<boolean> =>
  sql`(${sql.join(
    [
      ...places.map((address) => sql`${address} = any(${[...digests]}::bigint[])`),
      sql`recipient = any(${[...users]}::text[])`,
    ],
    sql` or `,
  )})`

/** Messages that match have one of the `values` in one of the parts, each of which reads its index in the order of ids. */
export interface AddressPart {
  values: RawBuilder<unknown>
  /** About `part.value`. */
  condition: RawBuilder<boolean>
}

/** A message can be in several. */
export const addressParts = ({
  digests,
  users,
}: AddressMatch): { ofUsers: AddressPart; ofAddresses: AddressPart[] } => ({
  ofUsers: { values: sql`unnest(${[...users]}::text[])`, condition: sql`recipient = part.value` },
  ofAddresses: places.map((address) => ({
    values: sql`unnest(${[...digests]}::bigint[])`,
    condition: sql`${address} = part.value`,
  })),
})
