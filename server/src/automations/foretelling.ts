/** Messages of a simulation as they would be sent: the first of them explained, and what is kept for digests. */
import type { SimulatedMessage } from '@postrider/contract'
import { merge } from '../base/merge.ts'
import type { Explained, Moment } from '../pipeline/explain.ts'
import type { SendInput } from '../pipeline/message.ts'
import type { GivenWorld } from './given.ts'
import type { CollectedEvent } from './rehearsed-digests.ts'
import type { WrittenProfile } from './rehearsed-profiles.ts'

export interface Foretold {
  id: string
  input: SendInput
  /** When it is made. */
  at: number
  notBefore?: number | undefined
  listId?: string | undefined
  written: WrittenProfile
  /** Without an explanation. */
  bare?: boolean
}

export type Foretell = (message: Foretold) => Promise<SimulatedMessage>

/** Each is a decision with its words; a reply with more is read by nobody. */
const EXPLAINED_MAX = 100

export function createForetelling(
  explain: (input: SendInput, moment: Moment) => Promise<Explained>,
  given: Pick<GivenWorld, 'profile' | 'storedList'>,
) {
  let explained = 0
  const collected: CollectedEvent[] = []

  const judged = async ({ input, at, notBefore, listId, written }: Foretold) => {
    const { recipient, tenantId } = input
    const stored = written(recipient) ?? (await given.profile(recipient, tenantId)) ?? {}
    const whole = { ...input, profile: merge(stored, input.profile) }
    const due = Math.max(at, notBefore ?? at)
    const { explanation, digest: facts } = await explain(whole, {
      notBefore,
      at: due,
      listId: given.storedList(listId),
    })
    if (facts) collected.push({ at: due, recipient, tenantId: tenantId ?? '', data: input.data ?? {}, facts })
    return explanation
  }
  const foretell: Foretell = async (message) => {
    const { id, input, bare = false } = message
    const isExplained = !bare && explained < EXPLAINED_MAX
    if (isExplained) explained += 1
    const explanation = isExplained ? await judged(message) : undefined
    const goes = explanation && ['ROUTED', 'SIMULATED', 'DELAYED'].includes(explanation.decision.status)
    const selected = goes ? explanation.candidates.filter((candidate) => candidate.selected) : []
    return {
      message_id: id,
      recipient: input.recipient,
      event: input.event,
      channels: [...new Set(selected.map(({ channel }) => channel))],
      ...(explanation && { explanation }),
    }
  }
  return { foretell, collected }
}
