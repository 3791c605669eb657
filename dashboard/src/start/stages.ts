/** The stages of a message that are shown while it arrives, from the events of its history. */
import type { HistoryEvent } from '@postrider/client'

export const stageNames = ['accepted', 'decided', 'rendered', 'sent', 'delivered'] as const
export type Stage = (typeof stageNames)[number]

const types: Record<Stage, HistoryEvent['type']> = {
  accepted: 'ENQUEUED',
  // The profiles are merged in the commit of the decision.
  decided: 'PROFILE_LOADED',
  rendered: 'RENDERED',
  sent: 'SENT',
  delivered: 'DELIVERED',
}

/** The time of each stage that was reached. */
export const stagesOf = (events: readonly HistoryEvent[]): Partial<Record<Stage, number>> =>
  Object.fromEntries(
    stageNames.flatMap((name) => {
      const event = events.find(({ type }) => type === types[name])
      return event ? [[name, event.ts]] : []
    }),
  )
