/** The devices of recipients: one query a batch, and none where no message can go to one. */
import type { Reader } from '../../database/engine.ts'
import { type StoredDeviceRow, storedDevices } from '../../database/tables/users/users.ts'
import { deviceId } from '../decide/devices.ts'
import type { DeviceFacts } from '../facts.ts'
import type { LoadRequest } from '../leased-message.ts'

export interface PushRequest {
  /** The number under which its devices are found. */
  n: number
  request: LoadRequest
  /** Keys of the providers whose tokens it can use. */
  providers: readonly string[]
}

/** By the number of the request. An earlier decision is explained with the devices that it had. */
export async function loadDevices(
  engine: Reader,
  requests: readonly PushRequest[],
  now: number,
): Promise<ReadonlyMap<number, readonly DeviceFacts[]>> {
  const found = new Map<number, readonly DeviceFacts[]>()
  const lookups = requests.flatMap(({ n, providers, request: { message, asOfSnapshot, snapshot } }) => {
    if (!asOfSnapshot || !snapshot)
      return [{ n, workspaceId: message.workspace_id, userId: message.recipient, providers }]
    if (snapshot.devices) found.set(n, snapshot.devices)
    return []
  })
  const rows = lookups.length > 0 ? await storedDevices(engine, lookups, now) : []
  for (const { n, devices } of rows)
    found.set(
      n,
      (devices ?? []).map((row) => factsOf(row, now)),
    )
  return found
}

function factsOf(row: StoredDeviceRow, now: number): DeviceFacts {
  const { token, provider_key: provider, model, platform, properties, version } = row
  const name = [model, platform && (model ? `(${platform})` : platform)].filter(Boolean).join(' ').slice(0, NAME_MAX)
  const inactive = inactiveReason(row, now)
  return {
    id: deviceId(token),
    provider,
    ...(name !== '' && { name }),
    ...(inactive !== undefined && { inactive }),
    stored: { token, version, ...(properties && { properties }) },
  }
}

const NAME_MAX = 100

function inactiveReason({ status, status_reason, expires }: StoredDeviceRow, now: number): string | undefined {
  if (status === 'failed' || status === 'revoked') return status_reason ? `${status}: ${status_reason}` : status
  return expires !== null && expires <= now ? 'expired' : undefined
}
