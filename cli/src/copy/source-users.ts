/** The users of the source, found by the lists, tenants and audiences that they are in. */
import { isPostriderError } from '@postrider/client'
import { stopped } from '../rows/batches.ts'
import type { JsonObject } from '../rows/columns.ts'
import { type Api, idOf, isNotServed, isRejected, pick, readPages } from './api.ts'

export interface Affiliations {
  lists: JsonObject[]
  tenants: JsonObject[]
}

export interface SourceUsers {
  users: ReadonlyMap<string, Affiliations>
  /** Every list of the source. */
  lists: ReadonlySet<string>
}

export interface UserSearch {
  source: Api
  target: Api
  /** Further users. */
  userIds: readonly string[]
  stop: AbortSignal
  onProgress(users: number): void
  /** A list that the source does not have. */
  onNotServed(list: string): void
  /** A list that the source does not show; its users are missing. */
  onProblem(list: string, problem: string): void
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export async function findUsers({
  source,
  target,
  userIds,
  stop,
  onProgress,
  onNotServed,
  onProblem,
}: UserSearch): Promise<SourceUsers> {
  const users = new Map<string, Affiliations>()
  const user = (id: string): Affiliations => {
    const affiliations = users.get(id) ?? { lists: [], tenants: [] }
    users.set(id, affiliations)
    return affiliations
  }
  const lists = new Set<string>()
  const each = async (path: readonly string[], field: string, add: (id: string, entry: JsonObject) => unknown) => {
    try {
      for await (const entry of readPages(source, path)) {
        if (stop.aborted) throw stopped('Run the command again.')
        const id = idOf(entry[field])
        if (id !== undefined) await add(id, entry)
        onProgress(users.size)
      }
    } catch (error) {
      if (!isNotServed(error) && !isRejected(error)) throw error
      // Courier has no list of profiles.
      if (path[0] === 'profiles') return
      if (path.length === 1 && isPostriderError(error, 'not_found')) onNotServed(path.join(' '))
      else onProblem(path.join(' '), messageOf(error))
    }
  }
  for (const id of userIds) user(id)
  // A user who was copied may have left every list there, and opted out.
  for await (const { id } of readPages(target, ['profiles'])) user(String(id))
  await each(['profiles'], 'id', user)
  await each(['lists'], 'id', (listId) => {
    lists.add(listId)
    return each(['lists', listId, 'subscriptions'], 'recipientId', (id, entry) =>
      user(id).lists.push({ listId, ...pick(entry, ['preferences']) }),
    )
  })
  await each(['tenants'], 'id', (tenant_id) =>
    each(['tenants', tenant_id, 'users'], 'user_id', (id, entry) =>
      user(id).tenants.push({ tenant_id, ...pick(entry, ['profile']) }),
    ),
  )
  await each(['audiences'], 'id', (audience) => each(['audiences', audience, 'members'], 'member_id', user))
  return { users, lists }
}
