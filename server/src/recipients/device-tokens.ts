/** A device token as it is shown, stored and patched. */

import {
  type DeviceToken,
  DeviceTokenInput,
  deviceTokenBytesMax,
  deviceTokenLifetimeMs,
  type PatchOperation,
} from '@postrider/contract'
import { invalidField, invalidRequest, tooLarge } from '../base/errors.ts'
import { jsonBytes } from '../base/json/json.ts'
import { compileCheck } from '../base/schema/check.ts'
import { iso, parseTimestamp } from '../base/time/clock.ts'
import type { DeviceTokenRow } from '../database/tables/users/users.ts'
import { patchedBy } from './document.ts'

export const deviceTokenRecord = (row: DeviceTokenRow): DeviceToken => ({
  token: row.token,
  provider_key: row.providerKey as DeviceToken['provider_key'],
  device: row.device,
  tracking: row.tracking,
  properties: row.properties,
  expiry_date: row.expires === null ? false : iso(row.expires),
  status: row.status as DeviceToken['status'],
  status_reason: row.statusReason,
})

/** Throws a 400 when the token of the input is another one, a 413 when it says too much. */
export function rowOf(token: string, input: DeviceTokenInput, now: number): DeviceTokenRow {
  if (input.token !== undefined && input.token !== token)
    throw invalidRequest('The token of the body differs from the one of the path', {
      code: 'invalid_field',
      param: 'token',
    })
  const { device = null, tracking = null, properties = null, status = 'active', status_reason: statusReason } = input
  const row: DeviceTokenRow = {
    token,
    providerKey: input.provider_key,
    device,
    tracking,
    properties,
    expires: expiryOf(input.expiry_date, now),
    status,
    statusReason: statusReason ?? null,
  }
  if (jsonBytes(row) > deviceTokenBytesMax)
    throw tooLarge(`A token with its properties must have at most ${deviceTokenBytesMax} bytes`, 'properties')
  return row
}

function expiryOf(date: DeviceTokenInput['expiry_date'], now: number): number | null {
  if (date === false) return null
  if (date === null || date === undefined) return now + deviceTokenLifetimeMs
  const time = /^\d{4}-\d{2}-\d{2}/.test(date) ? parseTimestamp(date) : Number.NaN
  if (Number.isNaN(time)) throw invalidField('expiry_date', 'must be an ISO 8601 timestamp or false')
  return time
}

const checkToken: (value: unknown) => asserts value is DeviceTokenInput = compileCheck(DeviceTokenInput, 'token')

/** The token after the patch; throws a 400 when the result is not a valid token. */
export function patched(row: DeviceTokenRow, patch: readonly PatchOperation[]): DeviceTokenInput {
  const after = patchedBy(patch, deviceTokenRecord(row), deviceTokenBytesMax)
  checkToken(after)
  return after
}
