/** The state of the system's screen as it stands in the address. */
import type { DeadLetter } from '@postrider/client'

const tabs = ['dead-letters'] as const
export const letterKinds = [
  ...(['message', 'request', 'run', 'digest', 'erasure', 'webhook_delivery', 'receipt'] as const),
] satisfies DeadLetter['kind'][]

const letterStates = ['released', 'dismissed', 'all'] as const
export type LetterState = (typeof letterStates)[number]

const trafficWindows = ['24h', '30d'] as const
export type TrafficWindow = (typeof trafficWindows)[number]

export interface SystemSearch {
  /** Absent: the state. */
  tab?: (typeof tabs)[number]
  /** Absent: 30 minutes. */
  traffic?: TrafficWindow
  /** Absent: open ones. */
  state?: LetterState
  kind?: DeadLetter['kind']
}

export function systemSearch(search: Record<string, unknown>): SystemSearch {
  const tab = tabs.find((name) => name === search.tab)
  const state = letterStates.find((name) => name === search.state)
  const kind = letterKinds.find((name) => name === search.kind)
  const traffic = trafficWindows.find((name) => name === search.traffic)
  return { ...(traffic && { traffic }), ...(tab && { tab }), ...(state && { state }), ...(kind && { kind }) }
}
