/** The lifetime of an idempotency key: the caller's, between a day and a year. */
import { idempotencyLifetimeMs, idempotencyLifetimeMsMax, idempotencyLifetimeMsMin } from '@postrider/contract'
import { endOfDuration, SECOND } from '../base/time/duration.ts'
import { parseMoment } from '../base/time/timestamp.ts'

/** An expiry that cannot be read stops no send: it is as if none was given. */
export function keyExpiry(expiry: unknown, now: number): number {
  const wanted = readKeyExpiry(expiry, now) ?? now + idempotencyLifetimeMs
  return Math.min(Math.max(wanted, now + idempotencyLifetimeMsMin), now + idempotencyLifetimeMsMax)
}

/** A moment in ISO 8601, seconds (below 10¹¹) or milliseconds since the epoch; or a duration from now. */
export function readKeyExpiry(expiry: unknown, now: number): number | undefined {
  const text = typeof expiry === 'number' ? String(expiry) : typeof expiry === 'string' ? expiry.trim() : ''
  if (/^\d{1,15}(\.\d+)?$/.test(text)) return Number(text) < 1e11 ? Number(text) * SECOND : Number(text)
  const moment = endOfDuration(text, now) ?? parseMoment(text)
  return Number.isNaN(moment) ? undefined : moment
}
