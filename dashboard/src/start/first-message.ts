/** The first message as it goes: the one that was sent here, or by the call of this page from elsewhere. */
import type { HistoryEvent, MessageDetail, MessageExplanation, MessageStatus } from '@postrider/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAction } from '../parts/confirm.tsx'
import { api } from '../session/api.ts'
import { shownId } from './shown-id.ts'
import { sendWelcome, welcome } from './welcome.ts'

export interface FirstMessage {
  message: MessageDetail
  history: HistoryEvent[]
  explanation: MessageExplanation
}

const LOOK_MS = 2_000
const POLL_MS = 300
const LATER_MS = 5_000
/** A message into the mailbox takes a fraction of a second; past it, its page says why not. */
const SOON_MS = 30_000
const onItsWay: ReadonlySet<MessageStatus> = new Set(['ENQUEUED', 'DELAYED', 'ROUTED'])

export const isOnItsWay = ({ message: { status } }: FirstMessage) => onItsWay.has(status)

/** The delivery that an integration accepted; without one the last that was tried. */
export const deliveryOf = ({ explanation: { deliveries } }: FirstMessage) =>
  deliveries.findLast(({ status }) => status !== 'ROUTED' && status !== 'UNDELIVERABLE') ?? deliveries.at(-1)

interface FirstMessageOptions {
  /** Whether a message of the call from elsewhere is shown, too. */
  isFollowed: boolean
  /** Whether one is looked for while the screen is open. */
  isAwaited: boolean
}

export function useFirstMessage({ isFollowed, isAwaited }: FirstMessageOptions) {
  const [sent, setSent] = useState<{ id: string; before: string | undefined }>()
  const newest = useQuery({
    queryKey: ['start', 'newest'],
    queryFn: async ({ signal }) => {
      const { recipient, event } = welcome
      return (await api.messages.list({ recipient, event, limit: 1 }, { signal })).results[0]?.id ?? null
    },
    enabled: isFollowed,
    refetchInterval: isAwaited && LOOK_MS,
  })
  const elsewhere = (isFollowed && newest.data) || undefined
  const id = shownId(sent, elsewhere)
  // By the clock of this browser, which may be far from that of the server.
  const [seen, setSeen] = useState<{ id: string; at: number }>()
  if (id !== undefined && seen?.id !== id) setSeen({ id, at: Date.now() })
  const send = useAction({
    act: sendWelcome,
    changes: [['start'], ['mailbox'], ['messages']],
    after: (id) => setSent({ id, before: elsewhere }),
  })
  const first = useQuery({
    queryKey: ['start', 'message', id],
    enabled: id !== undefined,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<FirstMessage> => {
      const [message, { results: history }, explanation] = await Promise.all([
        api.messages.get(id ?? '', { signal }),
        api.messages.history(id ?? '', {}, { signal }),
        api.messages.explain(id ?? '', {}, { signal }),
      ])
      return { message, history, explanation }
    },
    refetchInterval: ({ state: { data } }) => {
      if (!data) return false
      const isSoon = Date.now() - (seen?.at ?? 0) < SOON_MS
      if (isOnItsWay(data)) return isSoon ? POLL_MS : LATER_MS
      return data.message.status === 'HELD' || (data.message.status === 'SENT' && isSoon) ? LATER_MS : false
    },
  })
  const isNoneKnown = id === undefined
  return {
    first: isNoneKnown ? undefined : first.data,
    error: isNoneKnown ? (isFollowed && !newest.data ? newest.error : null) : first.error,
    retry: isNoneKnown ? newest.refetch : first.refetch,
    isRead: isNoneKnown ? !isFollowed || newest.isSuccess : first.data !== undefined,
    /** Another one was sent, of which nothing is known yet. */
    isAnother: !isNoneKnown && first.isPlaceholderData,
    isSending: send.isPending,
    send: () => send.mutate(),
  }
}
