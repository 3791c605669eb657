/** Previews of the messages of a simulation: the first of them explained, and the events for digests. */
import type { Explanation, MessageStatus, SimulatedMessage } from '@postrider/contract'
import { iso } from '../../base/time/timestamp.ts'
import type { SendInput } from '../../messages/send.ts'
import type { Explained, Moment } from '../../messages/timeline/explain.ts'
import type { CollectedEvent } from './in-memory-digests.ts'
import type { RehearsedSend } from './in-memory-effects.ts'
import type { WrittenProfile } from './in-memory-profiles.ts'
import type { GivenWorld } from './overrides.ts'

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

/** Its hours are looked at anew when they open; only profiles that are written meanwhile keep them closed. */
const OPENINGS_MAX = 10

interface Judged {
  /** When it is decided on, as far as that is known. */
  due: number
  /** How often it was. */
  times: number
  /** The last word about it. */
  explanation?: Explanation
}

export function createForetelling(
  explain: (input: SendInput, moment: Moment) => Promise<Explained>,
  given: Pick<GivenWorld, 'givenProfile' | 'storedList'>,
) {
  const judged = new Map<string, Judged>()
  const collected: CollectedEvent[] = []

  const judgeOnce = async ({ input, at, notBefore, listId, written }: Foretold, known: Judged) => {
    const { recipient, tenantId = '', data = {} } = input
    const { due } = known
    const storedProfile = written(recipient, due > at ? due : undefined) ?? given.givenProfile(recipient)
    const moment = { notBefore, at: due, listId: given.storedList(listId), storedProfile }
    const { explanation, digest: facts } = await explain(input, moment)
    const { status, due_at: later } = explanation.decision
    known.times += 1
    if (status === 'DELAYED' && later !== undefined && later > due && known.times < OPENINGS_MAX) known.due = later
    else known.explanation = explanation
    if (facts) collected.push({ at: due, recipient, tenantId, data, facts })
  }
  /** What is known of it by a moment; undefined: it is one too many. */
  const judge = async (message: Foretold, by: number): Promise<Judged | undefined> => {
    const known = judged.get(message.id) ?? { due: dueOf(message), times: 0 }
    if (!judged.has(message.id) && judged.size >= EXPLAINED_MAX) return undefined
    judged.set(message.id, known)
    while (!known.explanation && known.due <= by) await judgeOnce(message, known)
    return known
  }
  return {
    collected,
    /** Its status at a moment, when nothing is said of it. */
    async statusOf(message: Foretold, now: number): Promise<MessageStatus> {
      const { due, explanation } = (await judge(message, now)) ?? { due: dueOf(message) }
      if (due > now) return 'DELAYED'
      const status = explanation?.decision.status ?? 'ROUTED'
      return status === 'ROUTED' ? 'SENT' : status
    },
    foretell: async (message: Foretold): Promise<SimulatedMessage> => {
      const { id, input, at, bare = false } = message
      const known = bare ? undefined : await judge(message, Number.POSITIVE_INFINITY)
      const { due, explanation } = known ?? { due: dueOf(message) }
      const goes = explanation && ['ROUTED', 'SIMULATED'].includes(explanation.decision.status)
      const selected = goes ? explanation.candidates.filter((candidate) => candidate.selected) : []
      return {
        message_id: id,
        recipient: input.recipient,
        event: input.event,
        ...(due > at && { due_at: iso(due) }),
        channels: [...new Set(selected.map(({ channel }) => channel))],
        ...(explanation && { explanation }),
      }
    },
  }
}

export function foretoldOf({ id, at, send, written }: RehearsedSend): Foretold {
  const { input, notBefore, marks } = send
  return { id, input, at, notBefore, listId: marks?.listId, written }
}

const dueOf = ({ at, notBefore = at }: Foretold) => Math.max(at, notBefore)
