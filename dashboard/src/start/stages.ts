/** The stations of a message that light up while it is sent, from the events of its history. */
import type { HistoryEvent } from '@postrider/client'

export const stages = ['accepted', 'decided', 'rendered', 'sent', 'delivered'] as const
export type Stage = (typeof stages)[number]

const types: Record<Stage, HistoryEvent['type']> = {
  accepted: 'ENQUEUED',
  // The profiles are merged in the commit of the decision.
  decided: 'PROFILE_LOADED',
  rendered: 'RENDERED',
  sent: 'SENT',
  delivered: 'DELIVERED',
}

export interface Station {
  stage: Stage
  /** In milliseconds since the Unix epoch; undefined until it is reached. */
  at: number | undefined
  /** Milliseconds to the station after it. */
  toNext: number | undefined
  /** The first that is not reached, of a message on its way. */
  isNext: boolean
}

export function stationsOf(events: readonly HistoryEvent[], isOnItsWay: boolean): Station[] {
  const times = stages.map((stage) => events.find(({ type }) => type === types[stage])?.ts)
  // A receipt can arrive where no event says that it was sent.
  const last = times.findLastIndex((at) => at !== undefined)
  return stages.map((stage, index) => {
    const [at, next] = [times[index], times[index + 1]]
    return {
      ...{ stage, at },
      toNext: at === undefined || next === undefined ? undefined : Math.max(0, next - at),
      isNext: isOnItsWay && index === last + 1,
    }
  })
}
