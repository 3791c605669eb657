/** Users: their profiles and device tokens. Every change compares the version that was read. */

import { deviceTokensMax } from '@postrider/contract'
import type { TimeBudget } from '../../../base/budget.ts'
import { type JsonObject, storableJson } from '../../../base/json/json.ts'
import { spellingsOf } from '../../../base/phone-number.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import {
  columnList,
  expectRows,
  firstRow,
  guardPlan,
  query,
  type Row,
  type RowOf,
  recordset,
  rows,
  statement,
  typesAs,
  typesOf,
} from '../../query.ts'
import type { TokenCipher } from '../../token-cipher.ts'
import { type ChangeContext, forgetPreferences } from '../preferences/preferences.ts'

export interface VersionedProfile {
  profile: JsonObject
  version: number
}

export async function findProfile(
  engine: Reader,
  workspaceId: number,
  id: string,
): Promise<VersionedProfile | undefined> {
  const selection = query.selectFrom('profiles').select(['profile', 'version'])
  const row = await firstRow(engine, selection.where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row && { ...row, profile: engine.tokens.decrypt(workspaceId, row.profile) }
}

/** The profiles of many recipients, in their order. */
export async function findProfiles(
  engine: Engine,
  requests: readonly { workspaceId: number; id: string }[],
): Promise<(VersionedProfile | undefined)[]> {
  const records = requests.map(({ workspaceId, id }, n) => ({ n, w: workspaceId, id }))
  // Subqueries, because the planner can only look them up by key, even without statistics; a join may scan the table.
  const { rows } = await engine.run<{ n: number; profile: JsonObject | null; version: number | null }>({
    text: `select r.n, (select profile from profiles p where p.workspace_id = r.w and p.id = r.id) as profile,
        (select version from profiles p where p.workspace_id = r.w and p.id = r.id) as version
      from ${recordset('$1', 'r', { n: 'integer', ...typesAs('profiles', { w: 'workspace_id', id: 'id' }) })}`,
    values: [JSON.stringify(records)],
    name: 'find-profiles',
  })
  const results = new Map(
    rows.map(({ n, profile, version }) => [n, profile && version ? { profile, version } : undefined]),
  )
  return requests.map(({ workspaceId }, n) => {
    const row = results.get(n)
    return row && { profile: engine.tokens.decrypt(workspaceId, row.profile), version: row.version }
  })
}

/** Longer values are cut. */
export interface ProfileSummaryRow {
  id: string
  name: string | null
  given_name: string | null
  family_name: string | null
  nickname: string | null
  email: string | null
  phone_number: string | null
  created: number
  updated: number
}

const SHOWN_MAX = 320

/** A field of the profile that is a string. */
const stringOf = (field: string) =>
  `case when jsonb_typeof(profile -> '${field}') = 'string' then left(profile ->> '${field}', ${SHOWN_MAX}) end as ${field}`

const SUMMARY = `id, created, updated, ${['name', 'given_name', 'family_name', 'nickname', 'email', 'phone_number']
  .map(stringOf)
  .join(', ')}`

/** Newest first. */
export async function listProfiles(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<ProfileSummaryRow>> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string'])
  const { rows: profiles } = await engine.run<ProfileSummaryRow>({
    text: `select ${SUMMARY} from profiles where workspace_id = $1${after ? ' and (created, id) < ($3, $4)' : ''}
      order by created desc, id desc limit $2`,
    values: [workspaceId, limit + 1, ...(after ?? [])],
  })
  return pageOf(profiles, limit, ({ created, id }) => [created, id])
}

/** Above every text that begins with the same characters. */
const LAST_CHARACTER = '\u{10ffff}'

/** The texts that a search compares, each as its index has it. */
const searched = [
  { value: 'id', prefix: '$2', where: '' },
  {
    value: `left(lower(btrim(coalesce(substring(profile ->> 'email' from '<([^<>]*)>\\s*$'), profile ->> 'email'))), 320)
      collate "C"`,
    prefix: 'lower(btrim($2))',
    where: ` and profile ->> 'email' is not null`,
  },
  {
    value: `left(regexp_replace(profile ->> 'phone_number', '[^0-9]', '', 'g'), 32) collate "C"`,
    prefix: '$3::text',
    where: ` and profile ->> 'phone_number' is not null`,
  },
  {
    value: `left(lower(coalesce(nullif(btrim(profile ->> 'name'), ''),
      btrim(coalesce(profile ->> 'given_name', '') || ' ' || coalesce(profile ->> 'family_name', '')))), 320) collate "C"`,
    prefix: 'lower(btrim($2))',
    where: ` and coalesce(profile ->> 'name', profile ->> 'given_name', profile ->> 'family_name') is not null`,
  },
  {
    value: `left(lower(coalesce(nullif(btrim(profile ->> 'family_name'), ''),
      substring(btrim(profile ->> 'name') from '\\S+$'))), 320) collate "C"`,
    prefix: 'lower(btrim($2))',
    where: ` and coalesce(profile ->> 'family_name', profile ->> 'name') is not null`,
  },
] as const

const begins = ({ value, prefix }: (typeof searched)[number]) =>
  `${value} >= ${prefix} and ${value} < ${prefix} || '${LAST_CHARACTER}'`

const searchText = `select *, ${searched
  .map((_, kind) => `coalesce(matched[${kind + 1}] = value, false)`)
  .reduceRight((rest, isEqual, kind) => `case when ${isEqual} then ${kind} else ${rest} end`, 'kind')} = kind
    and value = (select min(m) from unnest(matched) m) as is_first
  from (${searched
    .map(
      (searchedText, kind) => `(select ${searchedText.value} as value, ${kind} as kind, ${SUMMARY},
      array[${searched.map((other) => `case when ${begins(other)} then ${other.value} end`).join(', ')}] as matched
    from profiles
    where workspace_id = $1 and ${begins(searchedText)}${searchedText.where}
      and (${kind === 0 ? 'id >= $5' : `(${searchedText.value}, id) >= ($5, $6)`}) and (${searchedText.value}, id, ${kind}) > ($5, $6, $7::integer)
    order by ${kind === 0 ? 'id' : `${searchedText.value}, id`} limit $4)`,
    )
    .join('\n union all ')}) matches
  order by value, id, kind limit $4`

interface FoundProfile extends ProfileSummaryRow {
  /** The text that begins with the search: the id (kind 0), the email address, the telephone number or a name. */
  value: string
  kind: number
  /** False: an earlier entry is about the same profile. */
  is_first: boolean
}

/** Each index has its matches in the order of the texts; a profile is in the page of its first one. */
export async function searchProfiles(
  engine: Reader,
  workspaceId: number,
  { text, digits }: { text: string; digits: string | undefined },
  cursor: string | undefined,
  limit: number,
): Promise<Page<ProfileSummaryRow>> {
  const after = cursor === undefined ? ['', '', -1] : decodeCursor(cursor, ['string', 'string', 'number'])
  const { rows: matches } = await engine.run<FoundProfile>({
    text: searchText,
    values: [workspaceId, text, digits ?? null, limit + 1, ...after],
  })
  const page = pageOf(matches, limit, ({ value, id, kind }) => [value, id, kind])
  return { ...page, rows: page.rows.filter(({ is_first }) => is_first) }
}

const [, searchedEmail, searchedNumber] = searched

const usersWithText = `(select id from profiles
    where workspace_id = $1 and ${searchedEmail.value} = any($2::text[])${searchedEmail.where} limit $4)
  union
  (select id from profiles
    where workspace_id = $1 and ${searchedNumber.value} = any($3::text[])${searchedNumber.where} limit $4)
  order by id limit $4`

/** The ids of the users who have one of the email addresses or telephone numbers. */
export async function usersWith(
  engine: Reader,
  workspaceId: number,
  addresses: readonly { kind: string; address: string }[],
  limit: number,
): Promise<string[]> {
  const of = (name: string) => addresses.flatMap(({ kind, address }) => (kind === name ? [address] : []))
  const numbers = of('phone_number').flatMap(spellingsOf)
  const { rows: users } = await engine.run<{ id: string }>({
    text: usersWithText,
    values: [workspaceId, of('email'), numbers, limit],
  })
  return users.map(({ id }) => id)
}

/** Writes the successor of `version` (undefined: a new profile); conflicts when another write came first. */
export function profileSave(
  tokens: TokenCipher,
  workspaceId: number,
  id: string,
  profile: JsonObject,
  version: number | undefined,
  now: number,
): Statement {
  const text = JSON.stringify(tokens.encrypt(workspaceId, profile))
  const write =
    version === undefined
      ? query
          .insertInto('profiles')
          .values({ workspace_id: workspaceId, id, profile: text, version: 1, created: now, updated: now })
          .onConflict((conflict) => conflict.doNothing())
      : query
          .updateTable('profiles')
          .set({ profile: text, version: version + 1, updated: now })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .where('version', '=', version)
  return expectRows(statement(write))
}

const toChange = `select n, version, case when bytes <= $3 then profile end as profile
  from (
    select r.n, p.profile, p.version, sum(octet_length(p.profile::text)) over (order by r.n) as bytes
    from ${recordset('$1', 'r', { n: 'integer', ...typesOf('profiles', ['id']) })}
    cross join lateral (
      select profile, version from profiles t where t.workspace_id = $2 and t.id = r.id limit 1) p
  ) s`

/** Those of the profiles that exist, by id. Without `profile` where the first ones have more than these bytes together: 0 gives versions only. */
export async function profilesToChange(
  engine: Reader,
  workspaceId: number,
  ids: readonly string[],
  bytesMax: number,
  { yieldToEventLoop }: Pick<TimeBudget, 'yieldToEventLoop'>,
): Promise<Map<string, { version: number; profile?: JsonObject }>> {
  if (ids.length === 0) return new Map()
  const { rows: existing } = await engine.run<{ n: number; version: number; profile: JsonObject | null }>({
    text: toChange,
    values: [JSON.stringify(ids.map((id, n) => ({ n, id }))), workspaceId, bytesMax],
    name: 'profiles-to-change',
  })
  const profiles = new Map<string, { version: number; profile?: JsonObject }>()
  for (const { n, version, profile } of existing) {
    // A profile can have thousands of tokens, of some 10 µs each.
    await yieldToEventLoop()
    const decrypted = profile && { profile: engine.tokens.decrypt(workspaceId, profile) }
    profiles.set(ids[n] ?? '', { version, ...decrypted })
  }
  return profiles
}

/** `version`: as it was read; undefined for a new profile. */
export type ProfileChange = Row<'profiles', 'id' | 'profile'> & {
  version: number | undefined
}

const SAVED = ['id', 'profile', 'version'] as const
const savedRows = `r as materialized (select * from ${recordset('$2', 'r', typesOf('profiles', SAVED))})`
/** Gives a row only when each of the profiles was written: otherwise nothing is. */
const isWhole = (written: string) =>
  `select 1 as is_whole where (select count(*) from ${written}) = (select count(*) from r)`

const saveNew = `with ${savedRows}, added as (
    insert into profiles (workspace_id, id, profile, version, created, updated)
    select $1::smallint, id, profile, 1, $3::bigint, $3::bigint from r
    order by id collate "C"
    on conflict do nothing returning true
  ) ${isWhole('added')}`

// Rows are looked up by key twice, to be locked in one order and, as there is each of them, to be updated: a join may scan the table.
const saveChanged = `with ${savedRows}, locked as materialized (
    select p.id, r.profile
    from (select * from r order by id collate "C") r
    cross join lateral (
      select id from profiles t
      where t.workspace_id = $1 and t.id = r.id and t.version = r.version limit 1 for update) p
  ), changed as (
    insert into profiles as p (workspace_id, id, profile, version, created, updated)
    select $1::smallint, id, profile, 1, $3::bigint, $3::bigint from locked
    on conflict (workspace_id, id) do update
    set profile = excluded.profile, version = p.version + 1, updated = excluded.updated
    returning true
  ) ${isWhole('changed')}`

/**
 * Writes the successor of each version; conflicts, for all of them, when another write came first. New profiles come
 * before changed ones, both in the order of their ids, so that no two of these deadlock. No id may occur twice.
 */
export async function profilesSave(
  tokens: TokenCipher,
  workspaceId: number,
  changes: readonly ProfileChange[],
  now: number,
  { yieldToEventLoop }: Pick<TimeBudget, 'yieldToEventLoop'>,
): Promise<Statement[]> {
  const added: object[] = []
  const changed: object[] = []
  for (const { id, profile, version } of changes) {
    await yieldToEventLoop()
    const record = { id, profile: tokens.encrypt(workspaceId, profile), version }
    if (version === undefined) added.push(record)
    else changed.push(record)
  }
  const save = (text: string, name: string, records: readonly object[]): Statement[] =>
    records.length === 0 ? [] : [expectRows({ text, values: [workspaceId, JSON.stringify(records), now], name })]
  const writes = [...save(saveNew, 'save-new-profiles', added), ...save(saveChanged, 'save-changed-profiles', changed)]
  return writes.length === 0 ? [] : [guardPlan, ...writes]
}

/** Replaces the profile without a comparison. Must affect a row: with `mustBeAbsent` it affects none when there is one. */
export function profileReplacement(
  tokens: TokenCipher,
  workspaceId: number,
  id: string,
  profile: JsonObject,
  { now, mustBeAbsent = false }: { now: number; mustBeAbsent?: boolean },
): Statement {
  const text = JSON.stringify(tokens.encrypt(workspaceId, profile))
  const insert = query
    .insertInto('profiles')
    .values({ workspace_id: workspaceId, id, profile: text, version: 1, created: now, updated: now })
  return expectRows(
    statement(
      insert.onConflict((conflict) => {
        const existing = conflict.columns(['workspace_id', 'id'])
        if (mustBeAbsent) return existing.doNothing()
        return existing.doUpdateSet((e) => ({ profile: text, updated: now, version: e('profiles.version', '+', 1) }))
      }),
    ),
  )
}

/** With the recipient's preferences. */
export function deleteProfile(workspaceId: number, id: string, change: ChangeContext): Statement[] {
  const deletion = query.deleteFrom('profiles').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [statement(deletion), ...forgetPreferences(workspaceId, id, change)]
}

export type DeviceTokenRow = Omit<StoredDeviceToken, 'version'>

/** Without `expires` it never does. */
export type StoredDeviceToken = RowOf<typeof tokensOf>

const tokensOf = (workspaceId: number, userId: string) =>
  query
    .selectFrom('device_tokens')
    .select([
      'token',
      'provider_key as providerKey',
      'device',
      'tracking',
      'properties',
      'expires',
      'status',
      'version',
    ])
    .select('status_reason as statusReason')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)

/** Newest first. */
export function listDeviceTokens(engine: Reader, workspaceId: number, userId: string): Promise<StoredDeviceToken[]> {
  const newest = tokensOf(workspaceId, userId).orderBy('created', 'desc').orderBy('token').limit(deviceTokensMax)
  return rows(engine, newest)
}

export function findDeviceToken(
  engine: Reader,
  workspaceId: number,
  userId: string,
  token: string,
): Promise<StoredDeviceToken | undefined> {
  return firstRow(engine, tokensOf(workspaceId, userId).where('token', '=', token))
}

const columnsOf = ({ providerKey, statusReason, device, tracking, properties, expires, status }: DeviceTokenRow) => ({
  provider_key: providerKey,
  device,
  tracking,
  properties,
  expires,
  status,
  status_reason: statusReason,
})

const asText = (value: JsonObject | null) => (value === null ? null : JSON.stringify(value))

const TOKEN = [
  'token',
  'provider_key',
  'device',
  'tracking',
  'properties',
  'expires',
  'status',
  'status_reason',
] as const

const putTokens = `with r as (
      select * from ${recordset('$3', 'r', typesOf('device_tokens', TOKEN))}
    )
    insert into device_tokens as d (workspace_id, user_id, ${columnList(TOKEN)}, version, created, updated)
    select $1::smallint, $2::text, ${columnList(TOKEN, 'r')}, 1, $4::bigint, $4::bigint
    from r
    where $5 >= (select count(*) from r) + (
      select count(*) from device_tokens t
      where t.workspace_id = $1 and t.user_id = $2 and t.token not in (select token collate "C" from r)
    )
    order by r.token collate "C"
    on conflict (workspace_id, user_id, token) do update set provider_key = excluded.provider_key,
      device = excluded.device, tracking = excluded.tracking, properties = excluded.properties,
      expires = excluded.expires, status = excluded.status, status_reason = excluded.status_reason,
      version = d.version + 1, updated = excluded.updated`

const DEVICE = ['token', 'provider_key', 'status', 'status_reason', 'expires', 'version'] as const

export interface StoredDeviceRow extends Row<'device_tokens', (typeof DEVICE)[number] | 'properties'> {
  model: string | null
  platform: string | null
}

/** The newest of those that are used, then the newest of the others, which are shown only. */
const DEVICES_READ_MAX = 40

// Subqueries, because the planner can only look them up by key, even without statistics; a join may scan the table.
const storedDevicesText = `select r.n, (select json_agg(d) from (
      select ${columnList(DEVICE, 't')},
        case when t.provider_key = 'web-push' then t.properties end as properties,
        left(t.device->>'model', 100) as model, left(t.device->>'platform', 100) as platform
      from device_tokens t
      where t.workspace_id = r.w and t.user_id = r.u
        and t.provider_key in (select json_array_elements_text(r.p))
      order by t.status in ('failed', 'revoked') or coalesce(t.expires <= $2, false), t.created desc, t.token
      limit ${DEVICES_READ_MAX}) d) as devices
  from ${recordset('$1', 'r', {
    n: 'integer',
    ...typesAs('device_tokens', { w: 'workspace_id', u: 'user_id' }),
    p: 'json',
  })}`

/** The tokens that these providers issued for each user; one row for each request. */
export async function storedDevices(
  engine: Reader,
  requests: readonly { n: number; workspaceId: number; userId: string; providers: readonly string[] }[],
  now: number,
): Promise<{ n: number; devices: StoredDeviceRow[] | null }[]> {
  const records = requests.map(({ n, workspaceId, userId, providers }) => ({
    n,
    w: workspaceId,
    u: userId,
    p: providers,
  }))
  const { rows } = await engine.run<{ n: number; devices: StoredDeviceRow[] | null }>({
    text: storedDevicesText,
    values: [JSON.stringify(records), now],
    name: 'stored-devices',
  })
  return rows
}

/** Creates or replaces; each token is named once. The second must affect a row: the user may have too many. Expired ones of the user go. */
export function putDeviceTokens(
  workspaceId: number,
  userId: string,
  tokens: readonly DeviceTokenRow[],
  now: number,
): Statement[] {
  const expired = query
    .deleteFrom('device_tokens')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('expires', '<=', now)
  const records = tokens.map((row) => ({ token: row.token, ...columnsOf(row) }))
  return [
    statement(expired),
    expectRows({
      text: putTokens,
      values: [workspaceId, userId, JSON.stringify(records), now, deviceTokensMax],
    }),
  ]
}

/** Must affect a row; affects none when another write came first. */
export function updateDeviceToken(
  workspaceId: number,
  userId: string,
  row: StoredDeviceToken,
  now: number,
): Statement[] {
  const { device, tracking, properties, ...columns } = columnsOf(row)
  const texts = { device: asText(device), tracking: asText(tracking), properties: asText(properties) }
  const update = query
    .updateTable('device_tokens')
    .set({ ...columns, ...texts, version: row.version + 1, updated: now })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('token', '=', row.token)
    .where('version', '=', row.version)
  return [expectRows(statement(update))]
}

/** A token that its provider does not know any more. */
export interface DeadToken {
  token: string
  /** As it was read: a token that was registered again meanwhile stays. */
  version: number
  /** The provider's own words. */
  reason: string
  /** Since when: a token that was registered later is used on. */
  goneAt?: number
}

const STATUS_REASON_MAX = 500

const deadRows = recordset(
  '$1',
  'r',
  typesAs('device_tokens', {
    w: 'workspace_id',
    u: 'user_id',
    t: 'token',
    v: 'version',
    r: 'status_reason',
    g: 'updated',
  }),
)

/** The tokens are `failed` from now on. Rows are locked in one order, whatever the order of the messages. */
export function deadTokensUpdate(
  tokens: readonly (DeadToken & { workspaceId: number; userId: string })[],
  now: number,
): Statement {
  const records = tokens.map(({ workspaceId, userId, token, version, reason, goneAt }) => ({
    w: workspaceId,
    u: userId,
    t: token,
    v: version,
    r: reason.slice(0, STATUS_REASON_MAX),
    g: goneAt ?? null,
  }))
  return {
    text: `with locked as materialized (
        select d.workspace_id, d.user_id, d.token, r.r as reason
        from ${deadRows}
        join device_tokens d on d.workspace_id = r.w and d.user_id = r.u and d.token = r.t and d.version = r.v
        where d.status not in ('failed', 'revoked') and (r.g is null or d.updated <= r.g)
        order by d.workspace_id, d.user_id, d.token for update of d
      )
      update device_tokens d set status = 'failed', status_reason = l.reason, version = d.version + 1, updated = $2
      from locked l where d.workspace_id = l.workspace_id and d.user_id = l.user_id and d.token = l.token`,
    values: [storableJson(JSON.stringify(records)), now],
    name: 'dead-tokens-since',
  }
}

export function deleteDeviceToken(workspaceId: number, userId: string, token: string): Statement[] {
  const all = query.deleteFrom('device_tokens').where('workspace_id', '=', workspaceId)
  return [statement(all.where('user_id', '=', userId).where('token', '=', token))]
}
