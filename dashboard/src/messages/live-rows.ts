/** The rows of the live tail: new ones arrive on top a few a frame, known ones are updated, and no more than can be read. */
import type { Message } from '@postrider/client'

/** Beyond it, the oldest rows leave. */
export const liveRowsMax = 1_000

export interface LiveRows {
  rows: readonly Message[]
  /** Newer than the first row, shown when the reader is at the top again; the newest first. */
  pending: readonly Message[]
  /** Read, and not on the screen yet: the oldest first. */
  arriving: readonly Message[]
  /** More messages than are read lie between the rows and the pending ones. */
  hasGap?: boolean
}

export const noLiveRows: LiveRows = { rows: [], pending: [], arriving: [] }

/** The latest page, the newest first: the start, and the start again after a gap. */
export const started = (page: readonly Message[]): LiveRows => ({ ...noLiveRows, rows: page.slice(0, liveRowsMax) })

/** The start again, while the rows must not move. */
export const startedAbove = ({ rows }: LiveRows, page: readonly Message[]): LiveRows => ({
  ...{ rows, pending: page.slice(0, liveRowsMax), arriving: [], hasGap: true },
})

/** The id after which new messages follow; undefined before the first one. */
export const newestOf = ({ rows, pending, arriving }: LiveRows): string | undefined =>
  (arriving.at(-1) ?? pending[0] ?? rows[0])?.id

/** `added` is the oldest first. */
export const withArrived = (live: LiveRows, added: readonly Message[]): LiveRows =>
  added.length === 0 ? live : { ...live, arriving: [...live.arriving, ...added].slice(-liveRowsMax) }

/** The next `count` of the arriving ones are showPending, or wait while what is read must not move. */
export function withFrame(live: LiveRows, count: number, isReading: boolean): LiveRows {
  if (live.arriving.length === 0 || count <= 0) return live
  const next = live.arriving.slice(0, count).reverse()
  const arriving = live.arriving.slice(count)
  const { rows, pending } = live
  if (isReading && rows.length > 0) return { ...live, arriving, pending: [...next, ...pending].slice(0, liveRowsMax) }
  return showPending({ ...live, arriving, pending: [...next, ...pending] })
}

/** With the pending ones on top. */
export const showPending = ({ rows, pending, arriving, hasGap }: LiveRows): LiveRows => ({
  rows: [...pending, ...(hasGap ? [] : rows)].slice(0, liveRowsMax),
  pending: [],
  arriving,
})

/** Known rows as they are now. */
export function withUpdates(live: LiveRows, page: readonly Message[]): LiveRows {
  const fresh = new Map(page.map((message) => [message.id, message]))
  const updated = (messages: readonly Message[]) =>
    messages.some((message) => isChanged(message, fresh.get(message.id)))
      ? messages.map((message) => fresh.get(message.id) ?? message)
      : messages
  return { ...live, rows: updated(live.rows), pending: updated(live.pending), arriving: updated(live.arriving) }
}

const isChanged = (before: Message, now: Message | undefined) =>
  now !== undefined && (now.status !== before.status || now.retry?.next_attempt_at !== before.retry?.next_attempt_at)

/** Whether one of the rows on top is still on its way. */
export const hasUnfinished = ({ rows }: LiveRows, count: number): boolean =>
  rows.slice(0, count).some(({ status }) => unfinished.has(status))
const unfinished: ReadonlySet<string> = new Set(['ENQUEUED', 'ROUTED'])

/** How many arrive in this frame, so that all of them are there when the next ones are read. */
export const countOfFrame = (arriving: number, leftMs: number, frameMs: number): number =>
  Math.ceil(arriving * Math.min(1, frameMs / Math.max(frameMs, leftMs)))
