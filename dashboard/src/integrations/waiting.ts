/** The messages that wait for each integration: held ones, and those with another attempt. */
import type { Message } from '@postrider/client'

interface MessagePage {
  results: readonly Pick<Message, 'id' | 'retry' | 'heldFor'>[]
  paging: { more: boolean }
}

export interface Waiting {
  /** Ids of messages by the integration that refused them. */
  heldBy: ReadonlyMap<string, readonly string[]>
  retriedBy: ReadonlyMap<string, number>
  /** All of them, also those that were not counted by integration. */
  heldCount: number
  /** There are more than were counted. */
  hasMore: { held: boolean; retried: boolean }
  /** They are more than a page. */
  isMany: boolean
}

/** One is read often, several are not. */
export const waitingPage = 100

/** A held message counts at each integration that refused it. */
export function waitingOf(
  heldPage: MessagePage,
  retriedPage: MessagePage,
  heldTotal = heldPage.results.length,
): Waiting {
  const heldBy = new Map<string, string[]>()
  for (const { id, heldFor = [] } of heldPage.results)
    for (const integration of heldFor) heldBy.set(integration, [...(heldBy.get(integration) ?? []), id])
  return {
    heldBy,
    retriedBy: countsOf(retriedPage.results.flatMap(({ retry }) => retry?.integration ?? [])),
    heldCount: Math.max(heldTotal, heldPage.results.length),
    hasMore: { held: heldPage.paging.more, retried: retriedPage.paging.more },
    isMany: Math.max(heldPage.results.length, retriedPage.results.length) > waitingPage,
  }
}

function countsOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
