/** The senders of the mail integrations of an environment: their domains, and who sends and signs for them. */
import { createPublicKey, type KeyObject } from 'node:crypto'
import type { DkimSigner } from '../../base/exchange.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { checkAddress } from '../../base/mail-address.ts'
import { dkimSignerOf } from '../../providers/dkim-keys.ts'
import { isSandbox, type Provider, type SenderRecords } from '../../providers/provider.ts'

export interface Sender {
  /** The domain in `From`. */
  domain: string
  /** The domain of the envelope sender, which SPF is about; undefined where the service has one of its own. */
  envelopeDomain: string | undefined
  /** The mail service, or the mail server. */
  title: string
  records: SenderRecords | undefined
  /** The mail server, where it is not one of a service. */
  relay: string | undefined
  /** The domain that signs, in the signatures of a service or of Postrider. */
  signingDomain: string
  /** The records of the keys that Postrider signs with, by selector; undefined where it does not sign. */
  keys: readonly PublishedKey[] | undefined
}

export interface PublishedKey {
  selector: string
  /** The value of its TXT record; undefined where the key cannot be read. */
  record: string | undefined
}

/** Undefined for an integration that sends no mail. `secrets` are absent where they cannot be read. */
export function senderOf(
  provider: Provider,
  providers: ReadonlyMap<string, Provider>,
  settings: JsonObject,
  secrets: JsonObject | undefined,
): Sender | undefined {
  const domain = domainOf(settings.fromAddress)
  if (domain === undefined || isSandbox(provider)) return undefined
  const host = stringOf(settings.host)?.toLowerCase()
  const service = provider.senderRecords ? provider : host === undefined ? undefined : serviceAt(host, providers)
  const records = service?.senderRecords
  const serviceDomain = stringOf(settings.domain)?.toLowerCase() ?? domain
  return {
    domain,
    envelopeDomain: envelopeDomainOf(records, serviceDomain, domainOf(settings.bounceAddress) ?? domain),
    title: service?.title ?? host ?? provider.title,
    records,
    relay: service ? undefined : host,
    signingDomain: stringOf(settings.dkimDomain)?.toLowerCase() ?? serviceDomain,
    keys: keysOf(settings, secrets),
  }
}

function envelopeDomainOf(
  records: SenderRecords | undefined,
  serviceDomain: string,
  bounceDomain: string,
): string | undefined {
  if (!records) return bounceDomain
  return records.spfInclude === undefined ? undefined : serviceDomain
}

/** The service that a mail server belongs to. */
const serviceAt = (host: string, providers: ReadonlyMap<string, Provider>): Provider | undefined =>
  [...providers.values()].find(({ senderRecords }) => senderRecords?.hosts?.test(host))

/** The same name, or one below it. */
export const isWithin = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`)

/** By their names they have the same owner, so that one stands for the other (relaxed alignment, RFC 7489 §3.1). */
export function isAligned(domain: string, other: string): boolean {
  const [labels, otherLabels] = [domain.split('.').reverse(), other.split('.').reverse()]
  const differs = labels.findIndex((label, index) => label !== otherLabels[index])
  // The last label alone is a top-level domain.
  return differs === -1 || differs >= 2
}

function keysOf(settings: JsonObject, secrets: JsonObject | undefined): readonly PublishedKey[] | undefined {
  const selectors = stringOf(settings.dkimSelector)
  if (selectors === undefined) return undefined
  const signer = dkimSignerOf({ ...settings, ...secrets })
  if (signer) return signer.keys.map(publishedKey)
  return selectors.split(',').map((selector) => ({ selector: selector.trim(), record: undefined }))
}

const publishedKey = ({ selector, key }: DkimSigner['keys'][number]): PublishedKey => ({
  selector,
  record: dkimRecord(createPublicKey(key)),
})

/** RFC 6376 §3.6.1; RFC 8463 §4: of Ed25519 the bare key, which are the last 32 bytes. */
function dkimRecord(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' })
  const isEd25519 = key.asymmetricKeyType === 'ed25519'
  return `v=DKIM1; k=${isEd25519 ? 'ed25519' : 'rsa'}; p=${(isEd25519 ? der.subarray(-32) : der).toString('base64')}`
}

const stringOf = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined)

/** In ASCII, also of a name with letters of other scripts. */
function domainOf(address: unknown): string | undefined {
  const ascii = typeof address === 'string' ? checkAddress(address, 'unicode') : undefined
  return ascii?.slice(ascii.lastIndexOf('@') + 1).toLowerCase()
}
