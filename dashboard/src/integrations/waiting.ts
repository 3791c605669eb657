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
  heldCount: number
  /** There are more than were counted. */
  hasMore: { held: boolean; retried: boolean }
}

/** A held message counts at each integration that refused it. */
export function waitingOf(heldPage: MessagePage, retriedPage: MessagePage): Waiting {
  const heldBy = new Map<string, string[]>()
  for (const { id, heldFor = [] } of heldPage.results)
    for (const integration of heldFor) heldBy.set(integration, [...(heldBy.get(integration) ?? []), id])
  return {
    heldBy,
    retriedBy: countsOf(retriedPage.results.flatMap(({ retry }) => retry?.integration ?? [])),
    heldCount: heldPage.results.length,
    hasMore: { held: heldPage.paging.more, retried: retriedPage.paging.more },
  }
}

function countsOf(ids: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
