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

/** The stations while only the first `count` that were reached have lit up, in the order of their times. */
export function litStations(stations: readonly Station[], count: number): Station[] {
  const reached = stations.filter(({ at }) => at !== undefined).toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0))
  if (count >= reached.length) return [...stations]
  const lit = new Set(reached.slice(0, count))
  const next = reached[count]
  return stations.map((station, index) => {
    const isLit = lit.has(station)
    const following = stations[index + 1]
    return {
      stage: station.stage,
      at: isLit ? station.at : undefined,
      toNext: isLit && following && lit.has(following) ? station.toNext : undefined,
      isNext: station === next,
    }
  })
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
