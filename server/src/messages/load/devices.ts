/** The devices of recipients: one query a batch, and none where no message can go to one. */
import type { Reader } from '../../database/engine.ts'
import { type StoredDeviceRow, storedDevices } from '../../database/tables/users/users.ts'
import { deviceId, mayPush, type PushServices } from '../decide/devices.ts'
import type { DeviceFacts, Mapping } from '../facts.ts'
import type { LoadRequest } from '../leased-message.ts'

/** In the order of the requests; undefined for a message that cannot go to a device. */
export async function loadDevices(
  engine: Reader,
  requests: readonly LoadRequest[],
  mappings: readonly (Mapping | undefined)[],
  servicesOf: (request: LoadRequest) => PushServices,
  now: number,
): Promise<(readonly DeviceFacts[] | undefined)[]> {
  const lookups = requests.flatMap((request, n) => {
    const { message, input, snapshot, asOfSnapshot } = request
    const services = servicesOf(request)
    if (asOfSnapshot && snapshot) return []
    if (!mayPush(input, mappings[n]?.notification, services)) return []
    return [{ n, workspaceId: message.workspace_id, userId: message.recipient, providers: services.keys }]
  })
  const rows = lookups.length > 0 ? await storedDevices(engine, lookups, now) : []
  const found = new Map(rows.map(({ n, devices }) => [n, devices ?? []]))
  return requests.map(({ snapshot, asOfSnapshot }, n) => {
    // An earlier decision is explained with the devices that it had.
    if (asOfSnapshot && snapshot) return snapshot.devices
    return found.get(n)?.map((row) => factsOf(row, now))
  })
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
