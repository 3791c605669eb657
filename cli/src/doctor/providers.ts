/** The providers of the workspace: does a connection to each come about from here? */
import { connect } from 'node:net'
import type { CatalogEntry, Integration, Postrider } from '@postrider/client'
import type { AddressGuard } from '@postrider/server'
import { type Check, check } from './check.ts'

export interface Destination {
  host: string
  port: number
}

export type Addresses = Pick<AddressGuard, 'resolve'>

// A connection over half the world takes well under a second.
const CONNECT_TIMEOUT_MS = 5_000
// A workspace has a handful; all are asked at the same time.
const INTEGRATIONS_MAX = 100

/** `addresses`: what the server connects to, as far as this machine's configuration is also its own. */
export async function lookAtProviders(client: Postrider, addresses?: Addresses): Promise<Check[]> {
  const integrations: Integration[] = []
  for await (const integration of client.providers.list()) {
    if (integrations.length === INTEGRATIONS_MAX) break
    if (integration.enabled) integrations.push(integration)
  }
  if (integrations.length === 0)
    return [check('providers', 'warn', 'no integration is enabled', 'Add one: POST /providers.')]
  const { results: catalog } = await client.providers.catalog()
  return await Promise.all(
    integrations.map((integration) =>
      reach(
        integration,
        destinationOf(
          integration,
          catalog.find(({ provider }) => provider === integration.provider),
        ),
        addresses,
      ),
    ),
  )
}

export async function reach(
  { id, provider, channels, title, unreadable }: Integration,
  destination: Destination | undefined,
  addresses?: Addresses,
): Promise<Check> {
  // Who serves every channel names none.
  const about = [channels.length === 1 ? channels[0] : '', title === provider ? '' : title].filter(Boolean).join(', ')
  const name = `provider ${provider}${about && ` (${about})`}`
  if (provider === 'mailbox') return check(name, 'skip', 'built in: it keeps messages and sends nothing')
  if (unreadable)
    return check(
      name,
      'fail',
      'its secrets were encrypted with another POSTRIDER_SECRET_KEY',
      `Start with that key again, or give the secrets anew: PUT /providers/${id}.`,
    )
  if (!destination) return check(name, 'skip', 'its address is a secret, or comes with each message')
  const place = `${destination.host}:${destination.port}`
  const fault = await connectTo(destination)
  if (fault !== undefined)
    return check(name, 'fail', `${place}: ${fault}`, 'Look at its settings, the name service and firewalls on the way.')
  if (addresses && (await isRefused(addresses, destination)))
    return check(
      name,
      'warn',
      `${place} takes connections, and is a private address: a server with this configuration sends nothing there`,
      'Name its network in POSTRIDER_ALLOW_PRIVATE_NETWORK, for the server and here.',
    )
  return check(name, 'ok', `${place} takes connections`)
}

const isRefused = (addresses: Addresses, { host, port }: Destination): Promise<boolean> =>
  addresses.resolve(host, port).then(
    () => false,
    (error: unknown) => error instanceof Error && 'failure' in error && error.failure === 'address_refused',
  )

/** From its own settings, else from what the catalogue says it uses by default. */
export function destinationOf(
  { settings }: Pick<Integration, 'settings'>,
  entry?: CatalogEntry,
): Destination | undefined {
  const port = Number(settings.port ?? 587)
  if (typeof settings.host === 'string' && settings.host !== '') return { host: settings.host, port }
  const addresses = [...Object.values(settings), ...Object.values(entry?.settings ?? {}).map(defaultOf)]
  for (const address of addresses) {
    const found =
      typeof address === 'string' && /^https?:\/\//.test(address) && URL.canParse(address) && new URL(address)
    if (found) return { host: found.hostname, port: Number(found.port) || (found.protocol === 'http:' ? 80 : 443) }
  }
  return undefined
}

const defaultOf = (field: unknown): unknown =>
  typeof field === 'object' && field !== null ? (field as { default?: unknown }).default : undefined

/** What keeps a connection from coming about. */
function connectTo({ host, port }: Destination): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Brackets belong to the URL of an IPv6 address, not to the address.
    const socket = connect({ host: host.replace(/^\[|\]$/g, ''), port })
    const end = (fault?: string) => {
      socket.destroy()
      resolve(fault)
    }
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => end(`no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`))
    socket.once('connect', () => end())
    // Of several addresses that refused, Node reports an error without words.
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.message || error.code || 'no connection'))
  })
}
