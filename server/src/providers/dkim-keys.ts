/** The settings that sign mails with DKIM: one key, or several with a selector each. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { Type } from 'typebox'
import type { DkimSigner } from '../base/exchange.ts'
import { memo } from '../base/perf/cache.ts'

const DOMAIN = '^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.)+[A-Za-z0-9-]{1,63}$'
const SELECTOR = '[A-Za-z0-9_]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9_])?'
const SELECTORS = `^${SELECTOR}( ?, ?${SELECTOR}){0,3}$`

export const DKIM_DOMAIN = Type.String({
  title: 'DKIM domain',
  description: 'The domain that signs the mails: that of the from address',
  pattern: DOMAIN,
  patternText: 'the name of a domain, in ASCII',
  maxLength: 253,
})

export const DKIM_SELECTOR = Type.String({
  title: 'DKIM selector',
  description:
    'The selector of the key, or several in the order of the keys, such as `s1, s2`. DNS: `<selector>._domainkey.<domain>`',
  pattern: SELECTORS,
  patternText: 'a selector, or at most four with commas between them',
  maxLength: 260,
})

const selectorsOf = (text: string): string[] => text.split(',').map((selector) => selector.trim())

/** Parsed once: a key takes longer to read than to sign with. Undefined where one of them cannot be used. */
const keysOf = memo(100, (text): KeyObject[] | undefined => {
  const files = text.match(/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----/g) ?? []
  try {
    const keys = files.map((pem) => createPrivateKey(pem))
    return keys.length > 0 && keys.every(isUsable) ? keys : undefined
  } catch {
    return undefined
  }
})

/** RFC 8301 §3.2: receivers ignore shorter keys of RSA, and need not know longer ones. */
const [RSA_BITS_MIN, RSA_BITS_MAX] = [1_024, 4_096]

function isUsable({ asymmetricKeyType, asymmetricKeyDetails: { modulusLength = 0 } = {} }: KeyObject): boolean {
  if (asymmetricKeyType === 'ed25519') return true
  return asymmetricKeyType === 'rsa' && modulusLength >= RSA_BITS_MIN && modulusLength <= RSA_BITS_MAX
}

export function dkimKeysError(text: string): string | undefined {
  return keysOf(text) ? undefined : 'must be a private key as PEM, RSA of 1024 to 4096 bits or Ed25519'
}

export interface DkimSettings {
  dkimDomain?: string
  dkimSelector?: string
  dkimPrivateKey?: string
}

/** Why the settings sign nothing although one of them is there. */
export function dkimError({ dkimDomain, dkimSelector, dkimPrivateKey }: DkimSettings): string | undefined {
  const all = { dkimDomain, dkimSelector, dkimPrivateKey }
  const missing = Object.entries(all).find(([, value]) => value === undefined)?.[0]
  if (missing) {
    const present = Object.entries(all).find(([, value]) => value !== undefined)?.[0]
    return present && `${missing} is required with ${present}`
  }
  const [selectors, keys] = [selectorsOf(dkimSelector ?? '').length, keysOf(dkimPrivateKey ?? '')?.length ?? 0]
  return selectors === keys ? undefined : `dkimSelector: it names ${selectors} selectors, and there are ${keys} keys`
}

/** Undefined where the settings name none, and where an override has left the keys out. */
export function dkimSignerOf({ dkimDomain, dkimSelector, dkimPrivateKey }: DkimSettings): DkimSigner | undefined {
  const keys = dkimDomain && dkimSelector && dkimPrivateKey ? keysOf(dkimPrivateKey) : undefined
  if (!keys) return undefined
  const selectors = selectorsOf(dkimSelector ?? '')
  return {
    domain: dkimDomain ?? '',
    keys: keys.flatMap((key, index) => (selectors[index] ? [{ selector: selectors[index], key }] : [])),
  }
}
