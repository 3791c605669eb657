/** Campaign parameters of links: `utm_source` and its siblings, added to addresses that do not have them. */
import { isObject } from '../base/json/json.ts'

const NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const

/** Names with their prefix, and values as an address has them. */
export type Utm = readonly (readonly [name: string, value: string])[]

/** The parameters of several sources; a later one takes precedence, name by name. Undefined where none has any. */
export function readUtm(sources: readonly unknown[]): Utm | undefined {
  const utm = NAMES.flatMap((name) => {
    const value = sources.findLast((source) => isObject(source) && isText(source[name]))
    return isObject(value) ? [[`utm_${name}`, encodeURIComponent(String(value[name]).toWellFormed())] as const] : []
  })
  return utm.length > 0 ? utm : undefined
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''

/** The rest of the address stays as it was written: a target may be signed, or read parameters in its own way. */
export function withUtm(url: string, utm: Utm): string {
  const hashAt = url.indexOf('#')
  const [address, hash] = hashAt === -1 ? [url, ''] : [url.slice(0, hashAt), url.slice(hashAt)]
  const queryAt = address.indexOf('?')
  const query = queryAt === -1 ? '' : address.slice(queryAt + 1)
  const present = new Set(query.split('&').map((pair) => pair.replace(/=.*$/s, '').toLowerCase()))
  const added = utm.filter(([name]) => !present.has(name)).map(([name, value]) => `${name}=${value}`)
  if (added.length === 0) return url
  const joint = queryAt === -1 ? '?' : query === '' || query.endsWith('&') ? '' : '&'
  return `${address}${joint}${added.join('&')}${hash}`
}
