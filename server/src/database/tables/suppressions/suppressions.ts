/** Suppressed addresses: looked up for decisions, added by outcomes and callers, removed or made unreadable by erasures. */
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { byKey, countAffected, query, type Row, recordset, rows, statement, typesAs, typesOf } from '../../query.ts'
import type { TokenCipher } from '../../token-cipher.ts'
import type { ErasureWork, LiveErasure } from '../erasure/erasures.ts'
import { messageById } from '../messages/live-partition.ts'

/** An address in its normal form. */
export type AddressKey = Row<'suppressions', 'kind' | 'address'>

const SHOWN = ['id', 'kind', 'address', 'reason', 'source', 'message_id', 'note', 'created', 'ends'] as const

/** `source`: `provider/<name>`, `inbound/<name>` (a text message of the person) or `key/<name>`; an `ends` of null: until it is removed. */
export type SuppressionRow = Row<'suppressions', (typeof SHOWN)[number]>

/** An address cannot begin like this: of the kinds with a colon, device tokens are random. */
const ERASED = 'erased:'

/** The address of an erased person, which still matches and cannot be read. */
const digestOf = (tokens: Pick<TokenCipher, 'fingerprint'>, workspaceId: number, { kind, address }: AddressKey) =>
  `${ERASED}${tokens.fingerprint(workspaceId, `${kind} ${address}`)}`

export const isErased = ({ address }: Pick<AddressKey, 'address'>): boolean => address.startsWith(ERASED)

export interface FoundSuppression extends Pick<SuppressionRow, 'id' | 'reason' | 'source' | 'created'> {
  /** The number of its request. */
  n: number
}

const requestedRows = recordset('$1', 'r', {
  n: 'integer',
  ...typesAs('suppressions', { w: 'workspace_id', k: 'kind', a: 'address' }),
})

/** The entries in effect, by the number of the address. */
export async function findSuppressions(
  engine: Reader,
  addresses: readonly (AddressKey & { workspaceId: number })[],
  now: number,
): Promise<FoundSuppression[]> {
  const records = addresses.flatMap((address, n) => {
    const { workspaceId: w, kind: k, address: a } = address
    return [
      { n, w, k, a },
      { n, w, k, a: digestOf(engine.tokens, w, address) },
    ]
  })
  const { rows: suppressions } = await engine.run<FoundSuppression>({
    // A look-up by key for each address; a join may scan the table. With `+ 0` the planner, which believes that all
    // indexes of a table without statistics cost the same, can use that of addresses only.
    text: `select r.n, s.id, s.reason, s.source, s.created
      from ${requestedRows}
      cross join lateral (
        select id, reason, source, created from suppressions t
        where t.address = r.a and t.kind = r.k and t.workspace_id + 0 = r.w and (t.ends is null or t.ends > $2)
        limit 1) s`,
    values: [JSON.stringify(records), now],
    name: 'find-suppressions',
  })
  return suppressions
}

export interface SuppressionFilter {
  address?: AddressKey | undefined
  kind?: string | undefined
  reason?: string | undefined
}

/** Newest first, without those that have ended. */
export async function listSuppressions(
  engine: Reader,
  workspaceId: number,
  { address, kind, reason }: SuppressionFilter,
  { cursor, limit, now }: { cursor: string | undefined; limit: number; now: number },
): Promise<Page<SuppressionRow>> {
  let selection = query
    .selectFrom('suppressions')
    .select(SHOWN)
    .where('workspace_id', '=', workspaceId)
    .where(({ or, eb }) => or([eb('ends', 'is', null), eb('ends', '>', now)]))
  if (address) {
    const texts = [address.address, digestOf(engine.tokens, workspaceId, address)]
    selection = selection.where('kind', '=', address.kind).where('address', 'in', texts)
  }
  if (kind !== undefined) selection = selection.where('kind', '=', kind)
  if (reason !== undefined) selection = selection.where('reason', '=', reason)
  if (cursor !== undefined) selection = selection.where('id', '<', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}

/** `person`: the recipient whose message found it. */
export type NewSuppression = Row<'suppressions', (typeof COLUMNS)[number]>

const COLUMNS = [
  ...(['workspace_id', 'id', 'kind', 'address', 'reason', 'source', 'message_id', 'note'] as const),
  ...(['person', 'created', 'ends'] as const),
]
const columns = COLUMNS.join(', ')
const ofConflict = COLUMNS.slice(1)
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')

/** One entry an address; an entry that has ended is replaced. In the order of the unique key, so that no two deadlock. */
const insertText = (from: string) => `insert into suppressions as s (${columns})
  select distinct on (workspace_id, kind, address) ${columns} from ${from}
  order by workspace_id, kind, address
  on conflict (workspace_id, kind, address) do update set ${ofConflict} where s.ends <= excluded.created`

const newRows = recordset('$1', 'r', typesOf('suppressions', COLUMNS))

export const suppressionsInsert = (added: readonly NewSuppression[]): Statement => ({
  text: insertText(newRows),
  values: [JSON.stringify(added)],
})

/** The outcome of a message: written with this flush of it. */
export interface RecordedSuppression extends NewSuppression {
  message_id: string
  flushes: number
}

const recorded = insertText(`${recordset('$1', 'r', {
  ...typesOf('suppressions', COLUMNS),
  ...typesOf('messages', ['flushes']),
})}
  where (${messageById('true', 'r.message_id', 'm.flushes = r.flushes and m.xmin = pg_current_xact_id()::xid')})`)

/** A person who unsubscribed at the provider gave up consent: the ledger has it. */
const recordedInLedger = `with added as (${recorded} returning workspace_id, id, reason, source, message_id, person, created)
  insert into preference_changes (workspace_id, id, user_id, tenant_id, status, source, actor, message_id, created)
  select workspace_id, id, person, '', 'OPTED_OUT', 'provider', source, message_id, created
  from added where reason = 'unsubscribed' and person is not null`

/** Follows `recordMessages` in its commit: nothing is added where a lease was lost. */
export const recordedSuppressionsInsert = (added: readonly RecordedSuppression[]): Statement => ({
  text: recordedInLedger,
  values: [JSON.stringify(added)],
  name: 'record-suppressions',
})

export const deleteSuppression = (workspaceId: number, id: string): Statement =>
  statement(query.deleteFrom('suppressions').where('workspace_id', '=', workspaceId).where('id', '=', id))

/** Lifts an opt-out at this provider; a bounce, a complaint and an entry of an operator stay. */
export const optOutsDelete = (
  workspaceId: number,
  address: AddressKey,
  provider: string,
  tokens: Pick<TokenCipher, 'fingerprint'>,
): Statement =>
  statement(
    query
      .deleteFrom('suppressions')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', address.kind)
      .where('address', 'in', [address.address, digestOf(tokens, workspaceId, address)])
      .where('reason', '=', 'unsubscribed')
      .where('source', 'in', [`inbound/${provider}`, `provider/${provider}`]),
  )

/** Deletes a bounded slice of the entries that have ended; returns their number. */
export function dropEndedSuppressions(engine: Engine, now: number, limit: number): Promise<number> {
  const ended = query.selectFrom('suppressions').select(['workspace_id', 'id']).where('ends', '<=', now)
  return countAffected(
    engine,
    query
      .deleteFrom('suppressions')
      .where(({ refTuple, eb }) =>
        eb(refTuple('workspace_id', 'id'), 'in', ended.limit(limit).$asTuple('workspace_id', 'id')),
      ),
  )
}

/** An erasure finds the entries of a person's addresses by the person. */
export const assignSuppressions = (
  workspaceId: number,
  person: string,
  addresses: readonly AddressKey[],
): Statement => ({
  text: `update suppressions s set person = $2
    from ${recordset('$3', 'r', typesOf('suppressions', ['kind', 'address']))}
    where s.workspace_id = $1 and s.kind = r.kind and s.address = r.address`,
  values: [workspaceId, person, JSON.stringify(addresses)],
})

/** Bounces are not worth remembering without their address; the others are decisions of the person or the operator. */
const FORGOTTEN = `('hard_bounce', 'invalid_address')`

/** The writes for a bounded slice of the person's entries; undefined when there are none. */
export async function suppressionsWork(
  engine: Engine,
  { workspace_id, person }: LiveErasure,
  limit: number,
): Promise<ErasureWork | undefined> {
  const selection = query.selectFrom('suppressions').select(['id', 'kind', 'address'])
  const named = await rows(
    engine,
    selection.where('workspace_id', '=', workspace_id).where('person', '=', person).limit(limit),
  )
  if (named.length === 0) return undefined
  const digests = named.map((row) => ({ id: row.id, digest: digestOf(engine.tokens, workspace_id, row) }))
  return {
    ctes: `r as materialized (
        select s.workspace_id, s.id, d.digest, s.reason in ${FORGOTTEN} or exists (select 1 from suppressions o
          where o.workspace_id = s.workspace_id and o.kind = s.kind and o.address = d.digest) as forgotten
        from ${recordset('$7', 'd', typesAs('suppressions', { id: 'id', digest: 'address' }))}
        join suppressions s on s.workspace_id = $6 and ${byKey('s.id', 'd.id')}
      ),
      gone as (
        delete from suppressions s using r where s.workspace_id = $6 and ${byKey('s.id', 'r.id')} and r.forgotten
        returning 1),
      kept as (
        update suppressions s set address = r.digest, person = null, note = null, message_id = null
        from r where s.workspace_id = $6 and ${byKey('s.id', 'r.id')} and not r.forgotten
        returning 1)`,
    counts: `jsonb_build_object('suppressions', (select count(*) from gone) + (select count(*) from kept))`,
    values: [workspace_id, JSON.stringify(digests)],
  }
}
