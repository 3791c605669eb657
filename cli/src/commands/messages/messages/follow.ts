/** New messages as they come: the list of messages is polled. */
import { setTimeout as pause } from 'node:timers/promises'
import { isPostriderError, type Message, type MessagesListQuery, type Postrider } from '@postrider/client'
import { matchesLate } from './filters.ts'
import { createShown } from './shown-messages.ts'

const POLL_MS = 1_000
// One poll shows at most a hundred pages of ten. A terminal is no place to read more messages a second.
const LOOK_MAX = 1_000

/** Begins after the newest message there is, by the server's clock; `note` gets remarks for the reader. */
export async function* follow(
  client: Postrider,
  query: MessagesListQuery,
  signal: AbortSignal,
  note: (text: string) => void,
): AsyncGenerator<Message> {
  const { results: newest } = await client.messages.list(undefined, { signal })
  const shown = createShown(newest, { latecomers: matchesLate(query) })
  let limited = false

  /** New messages, newest first. */
  async function look(): Promise<Message[]> {
    const messages: Message[] = []
    let looked = 0
    const after = { ...query, enqueued_after: String(shown.lookAfter()) }
    for await (const message of client.messages.list(after, { signal })) {
      const isNew = shown.isNew(message)
      if (isNew) messages.push(message)
      looked += 1
      if (looked < LOOK_MAX) continue
      shown.narrow(message)
      if (isNew) note(`More than ${LOOK_MAX} new messages at once; some are not shown.`)
      else if (!limited)
        note(
          `More than ${LOOK_MAX} messages are in progress; only the newest ${LOOK_MAX} are checked again from now on.`,
        )
      limited = true
      break
    }
    shown.add(messages)
    return messages
  }

  note('Waiting for messages. Press Ctrl+C to stop.')
  let failing = false
  while (!signal.aborted) {
    try {
      yield* (await look()).reverse()
      failing = false
    } catch (error) {
      if (signal.aborted) return
      if (!passing(error)) throw error
      if (!failing) note(`The server does not respond (${(error as Error).message}); retrying.`)
      failing = true
    }
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
}

const passing = (error: unknown) =>
  (['connection', 'timeout', 'server', 'rate_limit'] as const).some((kind) => isPostriderError(error, kind))
