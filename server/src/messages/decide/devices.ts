/** The devices of a recipient that a push provider can reach: those of its stored tokens, and those of the profile. */
import { hash } from 'node:crypto'
import type { CandidateReason, MessageDevice } from '@postrider/contract'
import { memo } from '../../base/perf/cache.ts'
import { type DeviceToken, isSandbox, type Provider } from '../../providers/provider.ts'
import { renderChannels } from '../../templates/render.ts'
import type { Facts, Integration, Notification, Routing, RoutingEntry } from '../facts.ts'
import { ANONYMOUS_PREFIX, type SendInput } from '../send.ts'
import type { Permitted } from './decision.ts'

/** Devices of one integration that get the message, the newest ones. */
export const DEVICES_MAX = 20

/** Names a device without its token, which nothing can be read from. */
export const deviceId = memo(10_000, (token) => hash('sha256', token).slice(0, 16))

export const shownDevice = ({ id, name }: MessageDevice): MessageDevice => ({ id, ...(name !== undefined && { name }) })

export interface DeviceCandidate {
  device: MessageDevice
  to?: unknown
  /** Its token is stored: the status of the token says whether it is dead. */
  isStored?: boolean
  /** Absent: it gets a delivery. */
  reason?: CandidateReason
  error?: string
}

const NO_TOKEN = 'The provider cannot use the token'

/** Each token once; a stored one that is not active is not used either where the profile names it. */
export function devicesFor(
  provider: Provider,
  { facts, profile }: { facts: Pick<Facts, 'devices'>; profile: Pick<Permitted['profile'], 'merged'> },
): DeviceCandidate[] {
  const { devices } = provider
  if (!devices) return []
  const candidates = new Map<string, DeviceCandidate>()
  for (const { provider: key, inactive, stored: storedToken, ...device } of facts.devices ?? []) {
    if (key !== provider.key) continue
    const shown = shownDevice(device)
    if (inactive !== undefined) candidates.set(device.id, { device: shown, reason: 'TOKEN_INACTIVE', error: inactive })
    // An earlier decision is explained: the token is not needed.
    else {
      const candidate = storedToken
        ? candidateOf(shown, devices.contact(tokenOf(storedToken)))
        : { device: shown, to: {} }
      candidates.set(device.id, { ...candidate, isStored: true })
    }
  }
  for (const deviceToken of devices.inProfile(profile.merged)) {
    const device = { id: deviceId(deviceToken.token) }
    if (!candidates.has(device.id)) candidates.set(device.id, candidateOf(device, devices.contact(deviceToken)))
  }
  let usable = 0
  return [...candidates.values()].filter(({ reason }) => reason !== undefined || (usable += 1) <= DEVICES_MAX)
}

/** The fields of a stored token that its provider gets. */
const tokenOf = ({ token, properties }: DeviceToken): DeviceToken => ({ token, ...(properties && { properties }) })

const candidateOf = (device: MessageDevice, to: unknown): DeviceCandidate =>
  to === undefined ? { device, reason: 'INCOMPLETE_PROFILE_DATA', error: NO_TOKEN } : { device, to }

/** The stored token of a device, to note that it is gone. */
export function storedTokenOf({ id }: MessageDevice, provider: string, { facts }: Permitted) {
  return facts.devices?.find((device) => device.id === id && device.provider === provider)?.stored
}

/** The token of a device in a profile; undefined where the profile does not name it. */
export function tokenInProfile(provider: Provider, profile: Permitted['profile']['merged'], device: MessageDevice) {
  return provider.devices?.inProfile(profile).find((candidate: DeviceToken) => deviceId(candidate.token) === device.id)
}

/** The tokens that messages of a workspace may need. */
export interface PushServices {
  /** Keys of providers. Empty: none serves push. */
  keys: readonly string[]
  /** Names of a routing that lead to them: the channel, the providers, the integrations. */
  names: ReadonlySet<string>
  /** No real integration is in their place: a default routing leads to the sandbox of push only where all are its. */
  isSandbox: boolean
  isOnlySandbox: boolean
}

const noPush: PushServices = { keys: [], names: new Set(), isSandbox: false, isOnlySandbox: false }

/** `allKeys`: those of every provider with tokens, of which the sandbox takes any. */
export function pushServices(integrations: readonly Integration[], allKeys: readonly string[]): PushServices {
  const enabled = integrations.filter(({ enabled: isOn }) => isOn)
  const ofPush = enabled.filter(({ channels }) => channels.includes('push'))
  const real = ofPush.filter(({ provider }) => provider.devices)
  const isOnlySandbox = enabled.every(({ provider }) => isSandbox(provider))
  const serving = real.length > 0 ? real : ofPush.filter(({ provider }) => isSandbox(provider))
  if (serving.length === 0) return noPush
  return {
    keys: real.length > 0 ? [...new Set(real.map(({ provider }) => provider.key))] : allKeys,
    names: new Set(['push', ...serving.flatMap(({ id, provider }) => [id, provider.key])]),
    isSandbox: real.length === 0,
    isOnlySandbox,
  }
}

/** Whether the message may go to a device: only then are tokens read for it. */
export function mayPush(
  { routing: ofSend, recipient }: Pick<SendInput, 'routing' | 'recipient'>,
  notification: Notification | undefined,
  { keys, names, isSandbox: isOfSandbox, isOnlySandbox }: PushServices,
): boolean {
  // A recipient without a user id has no tokens.
  if (keys.length === 0 || !notification || recipient.startsWith(ANONYMOUS_PREFIX)) return false
  const routing = ofSend && ofSend.channels.length > 0 ? ofSend : notification.routing
  if (routing) return namesOne(routing, names)
  if (renderChannels(notification.template)?.includes('push') === false) return false
  return !isOfSandbox || isOnlySandbox || ofSend?.method === 'all'
}

const namesOne = ({ channels }: Routing, names: ReadonlySet<string>): boolean =>
  channels.some((entry: RoutingEntry) => {
    if (typeof entry === 'string') return names.has(entry)
    return 'channels' in entry ? namesOne(entry, names) : names.has(entry.channel)
  })
