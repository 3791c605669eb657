/** Which uses of a message are tracked: by the workspace, the notification, the integration and the message. */
import { type Channel, type TrackingTerms, trackingNames } from '@postrider/contract'
import { isObject } from '../base/json/json.ts'

export type { TrackingTerms }

export type TrackingByChannel = Readonly<Partial<Record<Channel, TrackingTerms>>>

/** Undefined where nothing is tracked. A later source takes precedence, switch by switch. */
export function trackingTerms(sources: readonly unknown[]): TrackingTerms | undefined {
  const terms: TrackingTerms = {}
  for (const source of sources) {
    if (!isObject(source)) continue
    for (const name of trackingNames) if (typeof source[name] === 'boolean') terms[name] = source[name]
  }
  return trackingNames.some((name) => terms[name]) ? terms : undefined
}
