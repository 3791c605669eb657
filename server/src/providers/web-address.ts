/** Web addresses from settings, profiles and overrides: http or https, without credentials in them. */
import { memo } from '../base/perf/memo.ts'

/** The address in its normal form, or undefined. Whether its host may be called, the transport decides. */
export function webAddress(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 2_048 ? normalForm(value) : undefined
}

/** Addresses of integrations are read again with every message. */
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
