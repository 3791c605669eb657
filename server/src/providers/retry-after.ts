/** The pause that a provider requests: `Retry-After` in seconds or as a date, between 1 s and 24 h. */

import type { HttpReply } from '../base/exchange.ts'
import { DAY, SECOND } from '../base/time/duration.ts'

/** The three date forms of RFC 9110 §5.6.7 all begin with a day's name; other texts are not dates. */
const HTTP_DATE = /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? /

export function retryAfterMs(reply: HttpReply, now: number): number | undefined {
  const text = reply.headers['retry-after']?.trim()
  if (!text) return undefined
  if (/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) return clamp(Number(text) * SECOND)
  const until = httpDate(text)
  if (until === undefined) return undefined
  // Both dates come from the provider's clock, so that its difference from ours cancels out.
  return clamp(until - (httpDate(reply.headers.date?.trim() ?? '') ?? now))
}

function httpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined
  // The asctime form names no zone and means GMT.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : at
}

const clamp = (ms: number) => Math.round(Math.min(DAY, Math.max(SECOND, ms)))
