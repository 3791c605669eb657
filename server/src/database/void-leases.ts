/** Makes everything that a dead process had leased due at once. */
import type { Engine } from './engine.ts'
import { voidDigestLeases } from './tables/digests.ts'
import { voidErasureLeases } from './tables/erasures.ts'
import { voidLeases } from './tables/leases.ts'
import { voidRunLeases } from './tables/live-runs.ts'
import { voidRequestLeases } from './tables/requests.ts'
import { voidDeliveryLeases } from './tables/webhook-deliveries.ts'

/** Only where the owner of every lease is known to be dead. Gives the number of messages that were leased. */
export async function voidEveryLease(engine: Engine, now: number): Promise<number> {
  const messages = await voidLeases(engine, now)
  await voidRequestLeases(engine, now)
  await voidDeliveryLeases(engine, now)
  await voidErasureLeases(engine, now)
  await voidRunLeases(engine, now)
  await voidDigestLeases(engine, now)
  return messages
}
