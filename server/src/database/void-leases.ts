/** Makes all rows that a dead process had leased due immediately. */
import type { Engine } from './engine.ts'
import { voidRunLeases } from './tables/automations/live-runs.ts'
import { voidDigestLeases } from './tables/digests/digests.ts'
import { voidErasureLeases } from './tables/erasure/erasures.ts'
import { voidLeases } from './tables/messages/leases.ts'
import { voidRequestLeases } from './tables/messages/requests.ts'
import { voidDeliveryLeases } from './tables/webhooks/webhook-deliveries.ts'

/** Only where the owner of every lease is known to be dead. Returns the number of messages that were leased. */
export async function voidEveryLease(engine: Engine, now: number): Promise<number> {
  const messages = await voidLeases(engine, now)
  await voidRequestLeases(engine, now)
  await voidDeliveryLeases(engine, now)
  await voidErasureLeases(engine, now)
  await voidRunLeases(engine, now)
  await voidDigestLeases(engine, now)
  return messages
}
