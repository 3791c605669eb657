/** The first message as it goes: the one that was sent here, or by the call of this page from elsewhere. */
import type { HistoryEvent, MessageDetail, MessageExplanation, MessageStatus } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAction } from '../parts/confirm.tsx'
import { api } from '../session/api.ts'
import { sendWelcome, welcome } from './welcome.ts'

export interface FirstMessage {
  message: MessageDetail
  history: HistoryEvent[]
  explanation: MessageExplanation
}

const LOOK_MS = 2_000
const POLL_MS = 300
const RECEIPTS_MS = 5_000
/** A message into the mailbox takes a fraction of a second; past it, its page says why not. */
const SOON_MS = 30_000
const onItsWay: ReadonlySet<MessageStatus> = new Set(['ENQUEUED', 'DELAYED', 'ROUTED'])

export const isOnItsWay = ({ message: { status } }: FirstMessage) => onItsWay.has(status)

/** `isFollowed`: a message of the call from elsewhere is looked for, too. */
export function useFirstMessage(isFollowed: boolean) {
  const [sent, setSent] = useState<{ id: string; before: string | undefined }>()
  const newest = useQuery({
    queryKey: ['start', 'newest'],
    queryFn: async ({ signal }) => {
      const { recipient, event } = welcome
      return (await api.messages.list({ recipient, event, limit: 1 }, { signal })).results[0]?.id ?? null
    },
    enabled: isFollowed,
    refetchInterval: LOOK_MS,
  })
  const elsewhere = newest.data ?? undefined
  const id = sent && elsewhere === sent.before ? sent.id : elsewhere
  const send = useAction({
    act: sendWelcome,
    changes: [['start'], ['mailbox'], ['messages']],
    after: (id) => setSent({ id, before: elsewhere }),
  })
  const first = useQuery({
    queryKey: ['start', 'message', id],
    enabled: id !== undefined,
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
      const isRecent = Date.now() - data.message.enqueued < SOON_MS
      if (isOnItsWay(data)) return isRecent ? POLL_MS : RECEIPTS_MS
      return data.message.status === 'SENT' && isRecent ? RECEIPTS_MS : false
    },
  })
  return {
    first: first.data,
    error: id === undefined ? newest.error : first.error,
    retry: id === undefined ? newest.refetch : first.refetch,
    isRead: id === undefined ? !isFollowed || !newest.isPending : !first.isPending,
    isSending: send.isPending,
    send: () => send.mutate(),
  }
}
