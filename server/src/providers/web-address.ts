/** Web addresses from settings, profiles and overrides: http or https, without credentials in them. */

import { memo } from '../base/perf/memo.ts'

/** The address in its normal form, or undefined. Whether its host may be called is for the transport to say. */
export function webAddress(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 2_048 ? normalForm(value) : undefined
}

/** Those of integrations come again with every message. */
const normalForm = memo(1_000, (text) => {
  try {
    const { username, password, protocol, href } = new URL(text)
    const open = username === '' && password === ''
    return open && (protocol === 'https:' || protocol === 'http:') ? href : undefined
  } catch {
    return undefined
  }
})

/** Whether a user or a password stands before its host. */
export function holdsLogin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username !== '' || password !== ''
}

/** A path of an API below the base address of the settings; undefined when an override broke the base. */
export function apiAddress(base: unknown, path: string): string | undefined {
  const address = webAddress(base)
  return address && !/[?#]/.test(address) ? `${address.replace(/\/+$/, '')}${path}` : undefined
}

/** `application/x-www-form-urlencoded`: lists repeat their name, other structures are written as JSON. */
export function formBody(fields: Record<string, unknown>, lists: 'repeated' | 'json'): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    const items = Array.isArray(value) && lists === 'repeated' ? value : [value]
    for (const item of items) {
      if (item === undefined || item === null) continue
      form.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item))
    }
  }
  return form.toString()
}

export const basicAuth = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`
