/** The device tokens of users. Every change of a token compares the version that was read. */
import { deviceTokensMax } from '@postrider/contract'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement } from '../../query.ts'

export interface DeviceTokenRow {
  token: string
  providerKey: string
  device: JsonObject | null
  tracking: JsonObject | null
  properties: JsonObject | null
  /** Null: no expiry. */
  expires: number | null
  status: string
  statusReason: string | null
}

export type StoredDeviceToken = DeviceTokenRow & { version: number }

const own = (workspaceId: number, userId: string) =>
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
  const newest = own(workspaceId, userId).orderBy('created', 'desc').orderBy('token').limit(deviceTokensMax)
  return rows(engine, newest)
}

export function findDeviceToken(
  engine: Reader,
  workspaceId: number,
  userId: string,
  token: string,
): Promise<StoredDeviceToken | undefined> {
  return firstRow(engine, own(workspaceId, userId).where('token', '=', token))
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
      text: `with r as (
          select * from json_to_recordset($3::json) as r(token text, provider_key text, device jsonb, tracking jsonb,
            properties jsonb, expires bigint, status text, status_reason text)
        )
        insert into device_tokens as d (workspace_id, user_id, token, provider_key, device, tracking, properties, expires, status,
          status_reason, version, created, updated)
        select $1::smallint, $2::text, r.token, r.provider_key, r.device, r.tracking, r.properties, r.expires, r.status,
          r.status_reason, 1, $4::bigint, $4::bigint
        from r
        where $5 >= (select count(*) from r) + (
          select count(*) from device_tokens t
          where t.workspace_id = $1 and t.user_id = $2 and t.token not in (select token collate "C" from r)
        )
        order by r.token collate "C"
        on conflict (workspace_id, user_id, token) do update set provider_key = excluded.provider_key,
          device = excluded.device, tracking = excluded.tracking, properties = excluded.properties,
          expires = excluded.expires, status = excluded.status, status_reason = excluded.status_reason,
          version = d.version + 1, updated = excluded.updated`,
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

export function deleteDeviceToken(workspaceId: number, userId: string, token: string): Statement[] {
  const all = query.deleteFrom('device_tokens').where('workspace_id', '=', workspaceId)
  return [statement(all.where('user_id', '=', userId).where('token', '=', token))]
}
