/** Messages that wait and can be canceled: how many there are, and canceling all of them by calls that repeat. */
import type { Cancellation, Cancellations } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { api } from '../session/api.ts'

export type CancelChoice = Pick<Cancellation, 'filter' | 'message_ids'>

/** The API counts no further. */
export const COUNTED_MAX = 100_000

/** How many of the messages can be canceled now; nothing is read without a choice. */
export const useCancelable = (chosen: CancelChoice | undefined, refetchMs: number | false = false) =>
  useQuery<Cancellations>({
    queryKey: ['messages', 'cancelable', chosen],
    queryFn: ({ signal }) => api.messages.cancelMany({ ...chosen, dry_run: true }, { signal }),
    enabled: chosen !== undefined,
    staleTime: 0,
    retry: false,
    refetchInterval: ({ state }) => (state.error ? false : refetchMs),
  })

export interface CancelProgress {
  canceled: number
  /** Those that can still be canceled; at the end, those that are being delivered. */
  remaining: number
}

/** Calls until none of them waits, or the rest is being delivered. No more than `confirmed` are canceled. */
export async function cancelWaiting(
  chosen: CancelChoice,
  confirmed: number,
  onProgress?: (progress: CancelProgress) => void,
): Promise<CancelProgress> {
  let canceled = 0
  for (let remaining = confirmed; ; ) {
    const reply = await api.messages.cancelMany({ ...chosen, confirm: remaining })
    canceled += reply.canceled
    remaining = reply.remaining
    onProgress?.({ canceled, remaining })
    if (remaining === 0 || reply.canceled === 0) return { canceled, remaining }
  }
}
