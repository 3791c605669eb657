/** Updates the members of every audience: one slice of changed users and one slice of a recomputed audience at a time. */
import { audiencesMax } from '@postrider/contract'
import { during } from '../base/activity.ts'
import { startTimeBudget } from '../base/budget.ts'
import { failpoint } from '../base/failpoint.ts'
import type { Clock } from '../base/time/clock.ts'
import type { Engine } from '../database/engine.ts'
import {
  changedUsers,
  dueRecomputation,
  type MembersWrite,
  nextUsers,
  type User,
  usersById,
  writeChanges,
  writeRecomputation,
} from '../database/tables/audiences/audience-members.ts'
import { allAudiences } from '../database/tables/audiences/audiences.ts'
import { evaluateFilter, type Filter, parseFilter, tenantsOf } from './filter.ts'

/** So many users take some ten milliseconds to read and to write. */
const USERS_MAX = 500
/** Every audience evaluates a changed user: the bound of evaluations in one slice. */
const EVALUATIONS_MAX = 10_000

export interface MembershipUpdater {
  /** True when members were updated: there may be more. False on a conflict with another node. */
  step(): Promise<boolean>
}

interface Definition {
  id: string
  version: number
  filter: Filter | undefined
}

/** Several nodes may run concurrently: every write compares one counter that was read first, so that only one succeeds. */
export function createMembershipUpdater({ engine, clock }: { engine: Engine; clock: Clock }): MembershipUpdater {
  return {
    async step() {
      const followed = await followChanges(engine, clock.now())
      const recomputed = await recompute(engine, clock.now())
      return followed || recomputed
    },
  }
}

async function followChanges(engine: Engine, now: number): Promise<boolean> {
  const waiting = await changedUsers(engine, USERS_MAX)
  const [first] = waiting
  if (!first) return false
  const { workspaceId, writes } = first
  const changes = waiting.filter((change) => change.workspaceId === workspaceId)
  const audiences = (await allAudiences(engine, workspaceId, audiencesMax)).map(definitionOf)
  const ids = [...new Set(changes.map(({ userId }) => userId))]
  const slice = ids.slice(0, Math.max(1, Math.floor(EVALUATIONS_MAX / Math.max(1, audiences.length))))
  const users = audiences.length === 0 ? [] : await usersById(engine, workspaceId, slice, tenantsInFilters(audiences))
  const evaluated = new Set(audiences.length === 0 ? ids : users.map(({ id }) => id))
  const followed = changes.filter(({ userId }) => evaluated.has(userId)).map(({ id }) => id)
  const changed = await difference(users, audiences)
  failpoint('before-members-commit')
  return writeChanges(engine, { writes, workspaceId, ...changed }, followed, now)
}

async function recompute(engine: Engine, now: number): Promise<boolean> {
  const due = await dueRecomputation(engine, now)
  if (!due) return false
  const { writes, workspaceId } = due
  const audience = definitionOf(due)
  const { users, last } = await nextUsers(engine, due, USERS_MAX, tenantsInFilters([audience]))
  const progress = last ? undefined : users.at(-1)?.id
  const changed = await difference(users, [audience])
  failpoint('before-members-commit')
  return writeRecomputation(engine, { writes, workspaceId, ...changed }, due, progress, now)
}

function definitionOf({ id, version, filter, operator }: Omit<Definition, 'filter'> & Stored): Definition {
  return { id, version, filter: filter === null ? undefined : parseFilter(filter, operator) }
}

type Stored = { filter: Parameters<typeof parseFilter>[0] | null; operator: string | null }

const tenantsInFilters = (audiences: readonly Definition[]): string[] => [
  ...new Set(audiences.flatMap(({ filter }) => (filter ? tenantsOf(filter) : []))),
]

/** The members to write and to delete, so that the users are in exactly the audiences that they match. */
async function difference(
  users: readonly User[],
  audiences: readonly Definition[],
): Promise<Pick<MembersWrite, 'kept' | 'gone'>> {
  const budget = startTimeBudget(Number.POSITIVE_INFINITY)
  const kept: MembersWrite['kept'] = []
  const gone: MembersWrite['gone'] = []
  for (const user of users) {
    const before = new Map(user.memberOf.map((member) => [member.audienceId, member]))
    for (const { id: audienceId, version, filter } of audiences) {
      await budget.yieldToEventLoop()
      const member = before.get(audienceId)
      const result =
        user.exists && filter
          ? during('audience', audienceId, 'evaluating its filter', () => evaluateFilter(filter, user))
          : undefined
      if (!result?.holds) {
        if (member) gone.push({ audienceId, memberId: user.id })
        continue
      }
      const reason = result.reason()
      if (member?.version !== version || member.reason !== reason)
        kept.push({ audienceId, memberId: user.id, version, reason })
    }
  }
  return { kept, gone }
}
