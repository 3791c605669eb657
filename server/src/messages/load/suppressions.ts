/** The suppressed ones among the addresses of recipients: one look-up for a batch, none where nothing is suppressed. */
import type { SuppressionReason } from '@postrider/contract'
import type { JsonObject } from '../../base/json/json.ts'
import type { Reader } from '../../database/engine.ts'
import { findSuppressions } from '../../database/tables/suppressions/suppressions.ts'
import type { NormalAddress } from '../../providers/address.ts'
import { usableAddresses } from '../decide/candidates.ts'
import type { DecisionInput } from '../decide/decision.ts'
import type { Suppression } from '../facts.ts'

interface Request {
  /** The number under which its suppressions are found. */
  n: number
  workspaceId: number
  decisionInput: DecisionInput
}

/** By the number of the request. */
export async function loadSuppressions(
  engine: Reader,
  requests: readonly Request[],
  now: number,
): Promise<ReadonlyMap<number, readonly Suppression[]>> {
  const lookups = new Map<string, NormalAddress & { workspaceId: number; requests: number[] }>()
  for (const { n, workspaceId, decisionInput } of requests)
    for (const address of usableAddresses(decisionInput)) {
      const key = `${workspaceId} ${address.kind} ${address.address}`
      const known = lookups.get(key)
      if (!known) lookups.set(key, { ...address, workspaceId, requests: [n] })
      else if (known.requests.at(-1) !== n) known.requests.push(n)
    }
  const found = new Map<number, Suppression[]>()
  if (lookups.size === 0) return found
  const addresses = [...lookups.values()]
  for (const { n, id, reason, source, created } of await findSuppressions(engine, addresses, now)) {
    const { kind, address, requests: of = [] } = addresses[n] ?? {}
    if (kind === undefined || address === undefined) continue
    const suppression = { kind, address, id, reason: reason as SuppressionReason, source, created }
    for (const request of of) found.set(request, [...(found.get(request) ?? []), suppression])
  }
  return found
}

export function withSuppressions(
  decisionInput: DecisionInput,
  suppressions: readonly Suppression[] | undefined,
): DecisionInput {
  const { suppressions: earlier, ...facts } = decisionInput.facts
  if (!suppressions && !earlier) return decisionInput
  return { ...decisionInput, facts: { ...facts, ...(suppressions && { suppressions }) } }
}

/** As if this profile were stored: its addresses may be suppressed where those of the stored one are not. */
export async function withStoredProfile(
  engine: Reader,
  workspaceId: number,
  loaded: DecisionInput,
  storedProfile: JsonObject,
): Promise<DecisionInput> {
  const decisionInput = { ...loaded, facts: { ...loaded.facts, storedProfile } }
  const found = await loadSuppressions(engine, [{ n: 0, workspaceId, decisionInput }], loaded.now)
  return withSuppressions(decisionInput, found.get(0))
}
