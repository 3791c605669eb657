/** Follows a message to its result. */
import { setTimeout as pause } from 'node:timers/promises'
import { isPostriderError, type MessageDetail, type MessageStatus, type Postrider } from '@postrider/client'
import { errorText } from './error-text.ts'
import { Failure } from './failure.ts'
import { plain } from './plain.ts'
import { pendingStatuses } from './status.ts'

// A status is looked at often enough that the mailbox seems immediate, and rarely enough to cost nothing.
const POLL_MS = 250

/** Throws a `Failure` when it has no result by then. */
export async function follow(
  client: Postrider,
  messageId: string,
  timeoutSeconds: number,
  changed: (status: MessageStatus) => void,
): Promise<MessageDetail> {
  const deadline = Date.now() + timeoutSeconds * 1_000
  let last: MessageStatus | undefined
  for (;;) {
    const message = await client.messages.get(messageId).catch((error: unknown) => {
      // Another node may not have seen it yet.
      if (isPostriderError(error, 'not_found')) return undefined
      throw error
    })
    if (message && !pendingStatuses.has(message.status)) return message
    if (message && message.status !== last) changed(message.status)
    last = message?.status
    if (Date.now() >= deadline) {
      const error = message && (await lastErrorOf(client, messageId))
      const why = error ? `: ${plain(error)}` : ''
      throw new Failure(`${messageId} is ${last ?? 'not readable'} after ${timeoutSeconds} s${why}`, {
        hint: `It is still running in the background. To check it again: postrider messages show ${messageId}`,
      })
    }
    await pause(POLL_MS)
  }
}

/** The error of the latest attempt; a message that is still tried has none of its own. */
async function lastErrorOf(client: Postrider, messageId: string): Promise<string | undefined> {
  const { deliveries } = await client.messages.explain(messageId)
  const attempts = deliveries.flatMap(({ title, provider, attempts }) =>
    attempts.flatMap(({ started, error }) =>
      error ? [{ started, error: `${title ?? provider}: ${errorText(error)}` }] : [],
    ),
  )
  return attempts.sort((left, right) => left.started - right.started).at(-1)?.error
}
