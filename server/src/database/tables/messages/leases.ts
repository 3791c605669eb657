/** Leases of messages after the claim: renewed, counted, released, voided. */

import type { Engine } from '../../engine.ts'
import { guardPlan, inLockOrder } from '../../query.ts'

/** The ids whose lease was renewed; the other messages belong to another worker now. */
export async function renewLeases(
  engine: Engine,
  held: readonly { id: string; lease: string }[],
  until: number,
): Promise<ReadonlySet<string>> {
  const [, result] = await engine.batch([
    guardPlan,
    {
      text: `update messages m set due_at = $2 from json_to_recordset($1::json) as r(id text, lease text)
          where m.id = r.id and m.lease = r.lease and m.due_at is not null returning m.id`,
      values: [JSON.stringify(inLockOrder(held).map(({ id, lease }) => ({ id, lease }))), until],
      name: 'renew-leases',
    },
  ])
  return new Set((result?.rows ?? []).map((row) => String(row.id)))
}

/** Written before suspected poison messages are started, so that a crash counts against them. */
export async function countClaims(engine: Engine, held: readonly { id: string; lease: string }[]): Promise<void> {
  await engine.batch([
    guardPlan,
    {
      text: `update messages m set claims = m.claims + 1 from json_to_recordset($1::json) as r(id text, lease text)
          where m.id = r.id and m.lease = r.lease and m.due_at is not null`,
      values: [JSON.stringify(inLockOrder(held).map(({ id, lease }) => ({ id, lease })))],
      name: 'count-claims',
    },
  ])
}

/** Releases messages that were leased but not started: due immediately, without counting the claim. */
export async function releaseLeases(
  engine: Engine,
  held: readonly { id: string; lease: string; due_at: number }[],
): Promise<void> {
  await engine.batch([
    guardPlan,
    {
      text: `update messages m set lease = null, due_at = r.due_at, claims = greatest(m.claims - 1, 0)
          from json_to_recordset($1::json) as r(id text, lease text, due_at bigint)
          where m.id = r.id and m.lease = r.lease and m.due_at is not null`,
      values: [JSON.stringify(inLockOrder(held))],
      name: 'release-leases',
    },
  ])
}

/** Only where the owner of every lease is known to be dead: on the local database, whose folder lock proves it. */
export async function voidLeases(engine: Engine, now: number): Promise<number> {
  const { affected } = await engine.run({
    text: 'update messages set lease = null, due_at = $1 where due_at is not null and lease is not null',
    values: [now],
  })
  return affected
}
