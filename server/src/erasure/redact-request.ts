/** A stored request without one of the recipients it names. */
import type { NamingRequest } from '../database/tables/erasure/requests.ts'
import type { SharedInput } from '../messages/send.ts'
import type { Target } from '../recipients/read-recipients.ts'

/** Of whom a request is for, what is of interest here. */
interface RequestTargets {
  targets: readonly Target[]
  marks?: unknown
}

interface Progress {
  after: unknown
}

type Parts = Pick<NamingRequest, 'input' | 'targets' | 'progress'>

/** Others keep their places, so that expanding goes on where it was; what all share stays while one of them is there. */
export function withoutPerson(request: NamingRequest, person: string): Parts & { removed: number } {
  const { marks, ...addressing } = JSON.parse(request.targets) as RequestTargets
  let removed = 0
  const without = (user: Parameters<typeof isPerson>[0]) => {
    if (!isPerson(user, person)) return user
    removed += 1
    return null
  }
  const targets = addressing.targets.map((target) =>
    target.kind === 'users' ? { ...target, users: target.users.map(without) } : target,
  )
  const empty = targets.every((target) => target.kind === 'users' && target.users.every((user) => user === null))
  const { event } = JSON.parse(request.input) as SharedInput
  return {
    removed,
    targets: JSON.stringify({ ...addressing, targets, ...(marks !== undefined && !empty && { marks }) }),
    input: empty ? JSON.stringify({ event }) : request.input,
    progress: standsAt(request, person)
      ? JSON.stringify({ ...(JSON.parse(request.progress ?? '{}') as Progress), after: null })
      : request.progress,
  }
}

const isPerson = (user: Extract<Target, { kind: 'users' }>['users'][number], person: string) =>
  user?.recipient === person

/** Expanding it has come to this person, by whose id it would go on. A place is a recipient, or a JSON text with one. */
export function standsAt({ progress }: Pick<NamingRequest, 'progress'>, person: string): boolean {
  const { after } = JSON.parse(progress || '{}') as Partial<Progress>
  if (typeof after !== 'string') return false
  return after === person || after.endsWith(`"after":${JSON.stringify(person)}}`)
}
