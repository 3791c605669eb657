/** A message with its history and its explanation. */
import type { HistoryEvent, MessageDetail, MessageExplanation } from '@postrider/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../session/api.ts'
import { isDue, isUnfinished } from './timeline/rows.ts'

export interface MessageReplies {
  message: MessageDetail
  events: HistoryEvent[]
  explanation: MessageExplanation
}

/** While it is on its way, or one of its deliveries is, it changes by itself. */
const POLL_MS = 2_000

const isInProgress = ({ message, explanation: { deliveries } }: MessageReplies): boolean =>
  isUnfinished(message) || deliveries.some((delivery) => isDue(delivery, message))

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['message', id],
    queryFn: async ({ signal }): Promise<MessageReplies> => {
      const [message, { results: events }, explanation] = await Promise.all([
        api.messages.get(id, { signal }),
        api.messages.history(id, {}, { signal }),
        api.messages.explain(id, {}, { signal }),
      ])
      return { message, events, explanation }
    },
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data) ? POLL_MS : false),
  })

/** How the message would be decided now: as a resend would be. */
export const explanationOfNow = (id: string) =>
  queryOptions({
    queryKey: ['message', id, 'now'],
    queryFn: ({ signal }) => api.messages.explain(id, { as_of: 'now' }, { signal }),
    staleTime: 0,
  })
