/** Requests that name a person who is erased, and the users of bulk jobs among them. */
import type { Engine, Statement } from '../../engine.ts'
import { expectRows } from '../../query.ts'
import type { ErasureWork, LiveErasure } from './erasures.ts'

/** A request without a lease keeps its due time. */
const released = (now: string) => `case when lease is null then due_at else least(due_at, ${now}::bigint) end`

/** Revokes the leases of requests: a worker that read recipients before the person was removed cannot write them. */
export const fenceWork = ({ workspace_id }: LiveErasure, now: number): ErasureWork => ({
  ctes: `fenced as (
    update requests set lease = null, due_at = ${released('$7')}, claims = greatest(claims - 1, 0)
    where workspace_id = $6 and due_at is not null and lease is not null)`,
  counts: `'{}'`,
  values: [workspace_id, now],
})

export interface NamingRequest {
  id: string
  due_at: number | null
  /** JSON texts. */
  input: string
  targets: string
  progress: string | null
}

const page = `with page as (
    select id, targets, progress from requests where workspace_id = $1 and id > $2 order by id limit $5)
  select (select id from page order by id offset $5 - 1) as last,
    (select min(id) from page where position($3 in targets) > 0
      or exists (select 1 from json_array_elements_text($4::json) as p(place) where position(place in progress) > 0)
    ) as naming`

/** The first of the next `limit` requests after `place` that holds the person; `last` ends the page, undefined the list. */
export async function nextNamingRequest(
  engine: Engine,
  { workspace_id, person, place }: LiveErasure,
  limit: number,
): Promise<{ naming?: NamingRequest; last?: string }> {
  const id = JSON.stringify(person)
  // The cursor of an expansion is the last recipient, or a JSON text with it.
  const places = [`"after":${id}`, JSON.stringify(`"after":${id}`).slice(1, -1)]
  const values = [workspace_id, place ?? '', `"recipient":${id}`, JSON.stringify(places), limit]
  const found = await engine.run<{ naming: string | null; last: string | null }>({
    text: page,
    values,
    name: 'requests-naming',
  })
  const { naming, last } = found.rows[0] ?? { naming: null, last: null }
  if (naming === null) return last === null ? {} : { last }
  const whole = await engine.run<NamingRequest>({
    text: 'select id, due_at, input, targets, progress from requests where id = $1',
    values: [naming],
  })
  const [request] = whole.rows
  return { last: naming, ...(request && { naming: request }) }
}

/** Deletes the person from bulk jobs after `place` up to `last`, and revokes their leases: users are read again. */
export const bulkUsersWork = (
  { workspace_id, person, place }: LiveErasure,
  last: string | undefined,
  /** It is rewritten in the same commit. */
  naming: string | undefined,
  now: number,
): ErasureWork => ({
  ctes: `gone as (
    delete from bulk_users b using requests q
    where q.workspace_id = $6 and q.kind = 'bulk' and q.id > $7 and ($8::text is null or q.id <= $8)
      and b.job_id = q.id and b.recipient = $9
    returning b.job_id
  ),
  fenced as (
    update requests set lease = null, due_at = ${released('$10')}
    where id in (select job_id from gone) and id is distinct from $11 and due_at is not null)`,
  counts: `jsonb_build_object('bulkUsers', (select count(*) from gone))`,
  values: [workspace_id, place ?? '', last ?? null, person, now, naming ?? null],
})

/** Conflicts when the request was written since it was read. */
export function requestRewrite(
  before: NamingRequest,
  { input, targets, progress }: Omit<NamingRequest, 'id' | 'due_at'>,
  now: number,
): Statement {
  return expectRows({
    text: `update requests set input = $2, targets = $3, progress = $4, lease = null, due_at = ${released('$5')}
      where id = $1 and targets = $6 and progress is not distinct from $7`,
    values: [before.id, input, targets, progress, now, before.targets, before.progress],
  })
}
